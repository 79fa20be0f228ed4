"""The topics of a directory for its page: filtered, sorted, one page at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from memory.files.engine.reading import INDEX_NAME, IndexPosition, MemoryFile
from memory.files.selectors.directories import ListedFile
from memory.files.selectors.directory_reports import DirectoryReport, count_recalls, read_files
from memory.history.selectors.provenance import UseCount
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
class TopicFilter:
    text: str = ""
    type: str = ""
    state: str = ""
    sort: str = "changed"

    @property
    def needs_all(self) -> bool:
        """Do all files have to be read for this filter?"""
        return bool(self.text or self.type or self.state == "findings")

    @property
    def is_narrowed(self) -> bool:
        return bool(self.text or self.type or self.state)


@dataclass(frozen=True, slots=True)
class Topic:
    file: MemoryFile
    position: IndexPosition | None
    uses: int
    last_at: int | None
    """When a session last read it or was given it."""
    findings: Sequence[Finding] | None
    """None: the linter has not run yet."""

    @property
    def errors(self) -> int:
        return sum(finding.severity == "error" for finding in self.findings or ())

    @property
    def warnings(self) -> int:
        return sum(finding.severity == "warning" for finding in self.findings or ())

    @property
    def notes(self) -> int:
        return sum(finding.severity == "note" for finding in self.findings or ())


def filter_topics(
    files: Sequence[ListedFile],
    topic_filter: TopicFilter,
    positions: Mapping[str, IndexPosition],
    uses: Mapping[tuple[str, str], UseCount],
    report: DirectoryReport | None,
) -> list[ListedFile]:
    """Filters and sorts everything but the index. `files`: by name. `report`: required if `topic_filter.needs_all`."""
    topics = [file for file in files if file.name != INDEX_NAME]
    if topic_filter.state == "outside":
        topics = [file for file in topics if file.name not in positions]
    elif topic_filter.state == "cut":
        topics = [file for file in topics if file.name in positions and not positions[file.name].loaded]
    elif topic_filter.state == "idle":
        counts = count_recalls(uses)
        topics = [file for file in topics if not counts.get(file.name)]
    if topic_filter.needs_all and report is not None:
        topics = [file for file in topics if _fits(report, file.name, topic_filter)]
    key = _KEYS.get(topic_filter.sort)
    return sorted(topics, key=key, reverse=True) if key else topics  # of equals, the order of their names stays


def read_topics(
    directory: Directory,
    listed: Sequence[ListedFile],
    positions: Mapping[str, IndexPosition],
    uses: Mapping[tuple[str, str], UseCount],
    report: DirectoryReport | None,
) -> list[Topic]:
    counts = count_recalls(uses)
    return [
        Topic(
            file,
            positions.get(file.name),
            counts.get(file.name, 0),
            last_recall(uses, file.name),
            report.by_file.get(file.name, ()) if report else None,
        )
        for file in read_files(directory, listed)
    ]


def last_recall(uses: Mapping[tuple[str, str], UseCount], name: str) -> int | None:
    times = [use.last_at for kind in ("read", "given") if (use := uses.get((name, kind)))]
    return max((time for time in times if time is not None), default=None)


def _fits(report: DirectoryReport, name: str, topic_filter: TopicFilter) -> bool:
    file = report.contents.by_name.get(name)
    if file is None:
        return False
    if topic_filter.type and (file.type or "none") != topic_filter.type:
        return False
    if topic_filter.state == "findings" and name not in report.by_file:
        return False
    text = topic_filter.text.casefold()
    return not text or text in f"{file.name} {file.title} {file.description} {file.body}".casefold()
