"""Turns links between topics, `[[name]]` and `[Title](file.md)`, into links to their pages."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from memory.files.engine.disk import FileTroubleError
from memory.files.engine.reading import Index
from memory.files.engine.reading.links import normalize_name, resolve_target, split_wiki_links
from memory.files.selectors.directories import list_files
from memory.files.selectors.directory_reports import read_index_of
from memory.files.views.page_frame import file_address
from memory.models import Directory
from sessions.text.engine.prose import Pointer


@dataclass(frozen=True)
class TopicLinks:
    """Resolves the links of a text in a directory with these files."""

    directory: Directory
    names: Collection[str]
    index: Index | None

    def resolve_link(self, written: str) -> Pointer | None:
        target = resolve_target(written)
        return self._pointer("", target) if target.endswith(".md") else None

    def parts(self, text: str) -> Iterator[str | Pointer]:
        for part in split_wiki_links(text):
            yield part if isinstance(part, str) else self._pointer(*part)

    def _pointer(self, label: str, written: str) -> Pointer:
        name = written if written in self.names else self._names_by_form.get(normalize_name(written))
        if name is None:
            return Pointer(label, "", f"There is no {written} in this directory.")
        return Pointer(label, file_address(self.directory, name))

    @cached_property
    def _names_by_form(self) -> dict[str, str]:
        """Agents also write titles, or spaces for hyphens; the linter accepts those, too."""
        entries = self.index.entries if self.index else ()
        titles = {normalize_name(entry.title): entry.target for entry in entries if entry.target in self.names}
        return titles | {normalize_name(name): name for name in self.names if name.endswith(".md")}


def topics_of(directory: Directory) -> TopicLinks:
    """For the preview of a text. If the directory does not exist yet, links point nowhere."""
    try:
        files = list_files(directory)
        return TopicLinks(directory, {file.name for file in files}, read_index_of(directory, files))
    except FileTroubleError:
        return TopicLinks(directory, (), None)
