"""The topics of a directory as its page lists them: filtered, sorted, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from memory.files.engine.reading import INDEX_NAME, IndexPosition, MemoryFile
from memory.files.selectors.directories import Listed
from memory.files.selectors.directory_reports import Shelf, files_read, recalled
from memory.history.selectors.provenance import Uses
from memory.lint.engine import Finding
from memory.models import Directory

SORTS = {"changed": "Last changed", "name": "Name", "size": "Size"}
_KEYS = {"changed": attrgetter("mtime_ns"), "size": attrgetter("size")}
STATES = {
    "findings": "with findings",
    "outside": "not in the index",
    "cut": "whose line is cut",
    "idle": "never recalled",
}
TYPES = ("user", "feedback", "project", "reference")


@dataclass(frozen=True, slots=True)
class Wanted:
    text: str = ""
    type: str = ""
    state: str = ""
    sort: str = "changed"

    @property
    def needs_all(self) -> bool:
        """Whether files have to be read to know which are meant."""
        return bool(self.text or self.type or self.state == "findings")

    @property
    def narrowed(self) -> bool:
        return bool(self.text or self.type or self.state)


@dataclass(frozen=True, slots=True)
class Topic:
    file: MemoryFile
    place: IndexPosition | None
    uses: int
    last_at: int | None
    """When a session last read it or was given it."""
    findings: Sequence[Finding] | None
    """None: not looked for yet."""

    @property
    def errors(self) -> int:
        return sum(finding.severity == "error" for finding in self.findings or ())

    @property
    def warnings(self) -> int:
        return sum(finding.severity == "warning" for finding in self.findings or ())

    @property
    def notes(self) -> int:
        return sum(finding.severity == "note" for finding in self.findings or ())


def topics_wanted(
    files: Sequence[Listed],
    wanted: Wanted,
    places: Mapping[str, IndexPosition],
    uses: Mapping[tuple[str, str], Uses],
    shelf: Shelf | None,
) -> list[Listed]:
    """Everything but the index, out of files in the order of their names. `shelf`: needed where `wanted.needs_all`."""
    found = [one for one in files if one.name != INDEX_NAME]
    if wanted.state == "outside":
        found = [one for one in found if one.name not in places]
    elif wanted.state == "cut":
        found = [one for one in found if one.name in places and not places[one.name].loaded]
    elif wanted.state == "idle":
        counts = recalled(uses)
        found = [one for one in found if not counts.get(one.name)]
    if wanted.needs_all and shelf is not None:
        found = [one for one in found if _fits(shelf, one.name, wanted)]
    key = _KEYS.get(wanted.sort)
    return sorted(found, key=key, reverse=True) if key else found  # of equals, the order of their names stays


def topics_read(
    directory: Directory,
    listed: Sequence[Listed],
    places: Mapping[str, IndexPosition],
    uses: Mapping[tuple[str, str], Uses],
    shelf: Shelf | None,
) -> list[Topic]:
    counts = recalled(uses)
    return [
        Topic(
            file,
            places.get(file.name),
            counts.get(file.name, 0),
            last_recall(uses, file.name),
            shelf.by_file.get(file.name, ()) if shelf else None,
        )
        for file in files_read(directory, listed)
    ]


def last_recall(uses: Mapping[tuple[str, str], Uses], name: str) -> int | None:
    times = [use.last_at for kind in ("read", "given") if (use := uses.get((name, kind)))]
    return max((at for at in times if at is not None), default=None)


def _fits(shelf: Shelf, name: str, wanted: Wanted) -> bool:
    file = shelf.read.by_name.get(name)
    if file is None:
        return False
    if wanted.type and (file.type or "none") != wanted.type:
        return False
    if wanted.state == "findings" and name not in shelf.by_file:
        return False
    text = wanted.text.casefold()
    return not text or text in f"{file.name} {file.title} {file.description} {file.body}".casefold()
