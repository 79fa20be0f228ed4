"""Links between the topics of a directory, `[[name]]` and `[Title](file.md)`, as links to their pages."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from memory.files.engine.disk import FileTroubleError
from memory.files.engine.reading import Index
from memory.files.engine.reading.links import alike, target_of, wiki_parts
from memory.files.selectors.directories import files_listed
from memory.files.selectors.shelves import index_of
from memory.files.views.frame import file_address
from memory.models import Directory
from sessions.text.engine.prose import Pointer


@dataclass(frozen=True)
class Topics:
    """What the links of a text mean that lies in a directory with these files."""

    directory: Directory
    names: Collection[str]
    index: Index | None

    def resolve_link(self, written: str) -> Pointer | None:
        target = target_of(written)
        return self._pointer("", target) if target.endswith(".md") else None

    def parts(self, text: str) -> Iterator[str | Pointer]:
        for part in wiki_parts(text):
            yield part if isinstance(part, str) else self._pointer(*part)

    def _pointer(self, label: str, written: str) -> Pointer:
        name = written if written in self.names else self._meant.get(alike(written))
        if name is None:
            return Pointer(label, "", f"There is no {written} in this directory.")
        return Pointer(label, file_address(self.directory, name))

    @cached_property
    def _meant(self) -> dict[str, str]:
        """Agents write the title as well, or blanks for hyphens; the linter takes those for the same, too."""
        entries = self.index.entries if self.index else ()
        titles = {alike(entry.title): entry.target for entry in entries if entry.target in self.names}
        return titles | {alike(name): name for name in self.names if name.endswith(".md")}


def topics_of(directory: Directory) -> Topics:
    """Of a text that is being written; where the directory is not there (yet), it points nowhere."""
    try:
        files = files_listed(directory)
        return Topics(directory, {one.name for one in files}, index_of(directory, files))
    except FileTroubleError:
        return Topics(directory, (), None)
