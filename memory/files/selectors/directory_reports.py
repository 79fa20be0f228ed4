"""A memory directory as it is on disk now: listed without reading it, one page of it read, or all of it with the
linter's findings. Results are cached as long as no file of the directory changes."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from django.utils import timezone

from memory.chain.engine import Chain, build_chain
from memory.files.engine.disk import FileTroubleError, Folder, TooLargeError, disk_name
from memory.files.engine.reading import (
    INDEX_NAME,
    Index,
    MemoryDirectory,
    MemoryFile,
    parse_file,
    read_directory,
    read_index,
)
from memory.files.engine.reading.problem import Problem
from memory.files.engine.reading.regular_files import open_regular
from memory.files.selectors.directories import ListedFile, checkout_of, config_of
from memory.history.selectors.provenance import UseCount, uses_of
from memory.lint.engine import Finding, FolderCheckout, Health, Recalls, Severity, Surroundings, compute_health, lint
from memory.models import Directory
from sessions.catalog.selectors.sessions import current_sessions
from sessions.text.engine.error_reason import reason_of
from sessions.transcripts.engine.paths import decode_path

LARGE = 1_000_000
"""Bytes of a file of which lists read the beginning alone."""
BEGINNING = 65_536
MOST_CACHED = 4
"""Directories whose findings are kept."""
CACHED_SECONDS = 60.0
"""Findings also depend on the project's files, and on the day."""

Fingerprint = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class DirectoryReport:
    """All of a directory, read and linted."""

    contents: MemoryDirectory
    findings: tuple[Finding, ...]
    created_at: float

    @cached_property
    def health(self) -> Health:
        return compute_health(self.contents, self.findings)

    @property
    def errors(self) -> int:
        return self._count(Severity.ERROR)

    @property
    def warnings(self) -> int:
        return self._count(Severity.WARNING)

    @property
    def notes(self) -> int:
        return self._count(Severity.NOTE)

    def _count(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.findings)

    @cached_property
    def by_file(self) -> Mapping[str, list[Finding]]:
        """Findings by file, the most severe first; those of the whole directory have the empty name."""
        grouped: dict[str, list[Finding]] = {}
        for finding in self.findings:
            grouped.setdefault(finding.file, []).append(finding)
        return grouped


_reports: OrderedDict[str, tuple[Fingerprint, DirectoryReport]] = OrderedDict()
_indexes: OrderedDict[tuple[str, int, int], Index] = OrderedDict()
_lock = threading.Lock()


def fingerprint_of(files: Iterable[ListedFile]) -> Fingerprint:
    return tuple((file.name, file.size, file.mtime_ns) for file in files)


def cached_report(directory: Directory, files: Sequence[ListedFile]) -> DirectoryReport | None:
    """The cached report, if it is still current."""
    with _lock:
        cached = _reports.get(directory.path)
    if cached is None or time.monotonic() - cached[1].created_at > CACHED_SECONDS or cached[0] != fingerprint_of(files):
        return None
    return cached[1]


def report_of(directory: Directory, files: Sequence[ListedFile]) -> DirectoryReport:
    """Reads and lints the whole directory, unless the report is cached. Raises DirectoryMissingError."""
    report = cached_report(directory, files)
    if report is not None:
        return report
    contents = read_directory(decode_path(directory.path))
    report = DirectoryReport(contents, tuple(lint(contents, surroundings_of(directory))), time.monotonic())
    with _lock:
        _reports[directory.path] = (fingerprint_of(files), report)
        _reports.move_to_end(directory.path)
        while len(_reports) > MOST_CACHED:
            _reports.popitem(last=False)
    return report


def surroundings_of(directory: Directory) -> Surroundings:
    """What the linter cannot see in the directory itself."""
    project = checkout_of(directory)
    instructions = {
        file.path: file.agent_text for file in chain_for(directory).files if not file.path.endswith(INDEX_NAME)
    }
    recalls = None
    if directory.project_id is not None:
        sessions = current_sessions().filter(project=directory.project_id).count()
        recalls = Recalls(count_recalls(uses_of(directory)), sessions)
    checkout = FolderCheckout(project) if project is not None else None
    return Surroundings(now=timezone.now(), instructions=instructions, checkout=checkout, recalls=recalls)


def count_recalls(uses: Mapping[tuple[str, str], UseCount]) -> dict[str, int]:
    """How often each file was read or injected."""
    counts: dict[str, int] = {}
    for (name, kind), use in uses.items():
        if kind in ("read", "given"):
            counts[name] = counts.get(name, 0) + use.count
    return counts


def chain_for(directory: Directory) -> Chain:
    """The instruction files that are loaded in the project's directory; if that is not on this machine, the rest of the
    chain."""
    config = config_of(directory)
    project = checkout_of(directory) or config
    return build_chain(project, config=config, home=Path.home(), project=project, memory=decode_path(directory.path))


def read_file(directory: Directory, name: str) -> MemoryFile | None:
    """One whole file as it is now; None if it does not exist. Raises FileTroubleError."""
    with Folder(decode_path(directory.path)) as folder:
        content = folder.read(disk_name(name))
    return parse_file(name, content.data, mtime_ns=content.status.mtime_ns) if content else None


def read_files(directory: Directory, listed: Iterable[ListedFile]) -> list[MemoryFile]:
    """The files of one page. Only the beginning of a large file is read; one that cannot be read gets a problem."""
    root = decode_path(directory.path)
    with Folder(root) as folder:
        return [_read(folder, root, file) for file in listed]


def _read(folder: Folder, root: Path, listed: ListedFile) -> MemoryFile:
    try:
        if listed.size > LARGE:
            with open_regular(root / decode_path(listed.name), follow=False) as file:
                data = file.read(BEGINNING)
        else:
            content = folder.read(disk_name(listed.name))
            data = content.data if content else b""
    except (FileTroubleError, OSError) as error:
        problem = Problem("unreadable", str(error) if isinstance(error, FileTroubleError) else _reason(error))
        return parse_file(listed.name, b"", mtime_ns=listed.mtime_ns, size=listed.size, problems=(problem,))
    return parse_file(listed.name, data, mtime_ns=listed.mtime_ns, size=max(listed.size, len(data)))


def _reason(error: OSError) -> str:
    return f"The file cannot be read ({reason_of(error)})."


def read_index_of(directory: Directory, files: Iterable[ListedFile]) -> Index | None:
    """The index as it is now; None if there is none. Raises FileTroubleError."""
    listed = next((file for file in files if file.name == INDEX_NAME), None)
    if listed is None:
        return None
    key = (directory.path, listed.size, listed.mtime_ns)
    with _lock:
        if key in _indexes:
            return _indexes[key]
    try:
        file = read_file(directory, INDEX_NAME)
    except TooLargeError:
        file = read_files(directory, [listed])[0]
    if file is None:
        return None
    index = read_index(file)
    with _lock:
        _indexes[key] = index
        while len(_indexes) > MOST_CACHED:
            _indexes.popitem(last=False)
    return index
