"""Everything together: the files of the demo and what they should count up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.demo.story import fork, long, memories, odd, old_inline, old_sibling, survey
from tests.demo.story.ids import task_id
from tests.demo.story.long.summaries import NOTES
from tests.demo.story.session import Session
from tests.demo.story.tides import year_report
from tests.demo.story.transcript import SLUG


@dataclass(frozen=True, slots=True)
class Demo:
    files: dict[str, bytes]
    """By path inside a configuration directory."""
    sessions: tuple[Session, ...]

    def expected(self) -> dict[str, Any]:
        return {session.label: _facts(session) for session in self.sessions}


def build() -> Demo:
    day = long.build()
    surveyed, cards = survey.build()
    sessions = (day, *surveyed, *fork.build(), old_inline.build(), *old_sibling.build(), odd.build())
    folder = f"projects/{SLUG}"
    files = {f"{folder}/{session.path}": session.content() for session in sessions}
    files |= {f"{folder}/{path}": data for path, data in cards.items()}
    files[f"{folder}/{day.session}/tool-results/{task_id('year report')}.txt"] = year_report().encode()
    files[f"{folder}/{day.session}/session-memory/summary.md"] = NOTES.encode()
    files[f"{folder}/memory/MEMORY.md"] = memories.INDEX.encode()
    written = f"/home/dev/.claude/{folder}/memory/metres-two-decimals.md"
    files[f"{folder}/memory/metres-two-decimals.md"] = day.files.files[written].encode()
    files |= {f"{folder}/memory/{name}": text.encode() for name, text in memories.TOPICS.items()}
    return Demo(files, sessions)


def _facts(session: Session) -> dict[str, Any]:
    session.ledger.lines = len(session.lines) + bool(session.cut)
    session.ledger.bytes = len(session.content())
    places = {
        name: [place.position, place.uuid]
        for name, place in session.places.items()
        if not name.startswith(("message ", "prompt "))
    }
    facts: dict[str, Any] = {"session": session.session, "path": session.path, **session.ledger.facts()}
    if session.odd:
        facts["odd_lines"] = session.odd
    return facts | {"places": places}
