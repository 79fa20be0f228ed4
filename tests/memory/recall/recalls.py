"""A project with sessions and a memory, for tests of recalls."""

from __future__ import annotations

from pathlib import Path

from memory.history.services.touch_index import touches_index
from sessions.models import Transcript
from tests.memory.recall.engine.shelves import topic
from tests.memory.remembering import Shelf
from tests.sessions.written import Written

SLUG = "-home-dev-tidewatch"
FOLDER = f"/home/dev/.claude/projects/{SLUG}/memory"


class Harbour:
    """One session in which a memory is injected, another is read, and a compaction happens in between."""

    def __init__(self, root: Path) -> None:
        self.project = root / "projects" / SLUG
        self.file = Written(project=self.project)
        self.first = self.file.user("When do the tides come?")
        self.file.row(
            "attachment",
            attachment={
                "type": "relevant_memories",
                "memories": [{"path": f"{FOLDER}/tides.md", "content": "x" * 700, "mtimeMs": 1}],
            },
        )
        self.file.assistant("At noon.")
        self.file.call("Read", "toolu_1", file_path=f"{FOLDER}/boats.md")
        self.file.result("toolu_1", "The small ones.")
        self.second = self.file.user("And which boats sail with the tides?")
        self.file.compacts("They spoke of tides.")
        self.third = self.file.user("Once more: the tides and the boats?")
        self.word = self.file.user("Thanks")
        self.fourth = self.file.user("Rename the package entirely.")
        self.shelf = Shelf(self.project / "memory")
        self.put("tides.md", topic("When the tides come", "High water at noon."))
        self.put("boats.md", topic("Which boats sail", "The small ones."))
        self.put("fog.md", topic("Where the fog lies", "In the bay."))
        self.put("MEMORY.md", "- [Tides](tides.md)\n")

    def put(self, name: str, text: str) -> None:
        self.shelf.outside(name, text.encode())

    def read(self) -> Transcript:
        transcript = self.file.read()
        self.shelf = Shelf(self.project / "memory")  # the project is known by now
        touches_index()
        return transcript

    @property
    def page(self) -> str:
        return f"/memory/{self.shelf.directory.pk}/recall/"

    def of(self, uuid: str) -> str:
        return f"{self.page}?session={self.file.session}&entry={uuid}"
