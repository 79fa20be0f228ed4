"""A memory directory as it lies on disk now: listed without being read, a page of it read, or all of it with what the
linter says. What was worked out is kept for a while, as long as no file of the directory has changed."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from django.utils import timezone

from memory.chain.engine import Chain, chain_of
from memory.files.engine.disk import (
    FileTroubleError,
    Folder,
    TooLargeError,
    disk_name,
)
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
from memory.files.selectors.directories import Listed, checkout_of, config_of
from memory.history.selectors.provenance import Uses, uses_of
from memory.lint.engine import (
    Finding,
    FolderCheckout,
    Health,
    Recalls,
    Severity,
    Surroundings,
    health,
    lint,
)
from memory.models import Directory
from sessions.models import Transcript
from sessions.transcripts.engine.paths import opened

LARGE = 1_000_000
"""Bytes of a file of which lists read the beginning alone."""
BEGINNING = 65_536
KEPT = 4
"""Directories whose findings are kept."""
KEPT_SECONDS = 60.0
"""Findings also depend on the project's files, and on the day."""

Print = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Shelf:
    """All of a directory, read and judged."""

    read: MemoryDirectory
    findings: tuple[Finding, ...]
    at: float

    @cached_property
    def health(self) -> Health:
        return health(self.read, self.findings)

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
        """The gravest first; those of the directory as a whole under the empty name."""
        found: dict[str, list[Finding]] = {}
        for finding in self.findings:
            found.setdefault(finding.file, []).append(finding)
        return found


_shelves: OrderedDict[str, tuple[Print, Shelf]] = OrderedDict()
_indexes: OrderedDict[tuple[str, int, int], Index] = OrderedDict()
_lock = threading.Lock()


def print_of(files: Iterable[Listed]) -> Print:
    return tuple((one.name, one.size, one.mtime_ns) for one in files)


def shelf_known(directory: Directory, files: Sequence[Listed]) -> Shelf | None:
    """What was worked out already, if it is still so."""
    with _lock:
        found = _shelves.get(directory.path)
    if found is None or time.monotonic() - found[1].at > KEPT_SECONDS or found[0] != print_of(files):
        return None
    return found[1]


def shelf_of(directory: Directory, files: Sequence[Listed]) -> Shelf:
    """Reads and judges all of it, unless that is known. Raises DirectoryMissingError."""
    known = shelf_known(directory, files)
    if known is not None:
        return known
    read = read_directory(opened(directory.path))
    shelf = Shelf(read, tuple(lint(read, surroundings_of(directory))), time.monotonic())
    with _lock:
        _shelves[directory.path] = (print_of(files), shelf)
        _shelves.move_to_end(directory.path)
        while len(_shelves) > KEPT:
            _shelves.popitem(last=False)
    return shelf


def surroundings_of(directory: Directory) -> Surroundings:
    """What the linter cannot see in the directory itself."""
    project = checkout_of(directory)
    instructions = {file.path: file.given for file in chain_for(directory).files if not file.path.endswith(INDEX_NAME)}
    recalls = None
    if directory.project_id is not None:
        sessions = Transcript.objects.filter(project=directory.project_id, kind=Transcript.Kind.MAIN).count()
        recalls = Recalls(recalled(uses_of(directory)), sessions)
    checkout = FolderCheckout(project) if project is not None else None
    return Surroundings(now=timezone.now(), instructions=instructions, checkout=checkout, recalls=recalls)


def recalled(uses: Mapping[tuple[str, str], Uses]) -> dict[str, int]:
    """How often each file was read or given."""
    counts: dict[str, int] = {}
    for (name, kind), use in uses.items():
        if kind in ("read", "given"):
            counts[name] = counts.get(name, 0) + use.count
    return counts


def chain_for(directory: Directory) -> Chain:
    """Everything that is loaded in the project's directory. Where that is not on this machine, what the rest of the
    chain holds."""
    config = config_of(directory)
    project = checkout_of(directory) or config
    return chain_of(project, config=config, home=Path.home(), project=project, memory=opened(directory.path))


def file_now(directory: Directory, name: str) -> MemoryFile | None:
    """One file, whole, as it is now; None if there is none. Raises FileTroubleError."""
    with Folder(opened(directory.path)) as folder:
        found = folder.read(disk_name(name))
    return parse_file(name, found.data, mtime_ns=found.status.mtime_ns) if found else None


def files_read(directory: Directory, listed: Iterable[Listed]) -> list[MemoryFile]:
    """Those of one page. Of a large one only the beginning is read; one that cannot be read has a problem."""
    root = opened(directory.path)
    with Folder(root) as folder:
        return [_read(folder, root, one) for one in listed]


def _read(folder: Folder, root: Path, one: Listed) -> MemoryFile:
    try:
        if one.size > LARGE:
            with open_regular(root / opened(one.name), follow=False) as file:
                data = file.read(BEGINNING)
        else:
            found = folder.read(disk_name(one.name))
            data = found.data if found else b""
    except (FileTroubleError, OSError) as error:
        problem = Problem("unreadable", str(error) if isinstance(error, FileTroubleError) else _why(error))
        return parse_file(one.name, b"", mtime_ns=one.mtime_ns, size=one.size, problems=(problem,))
    return parse_file(one.name, data, mtime_ns=one.mtime_ns, size=max(one.size, len(data)))


def _why(error: OSError) -> str:
    return f"The file cannot be read ({(error.strerror or str(error)).lower()})."


def index_of(directory: Directory, files: Iterable[Listed]) -> Index | None:
    """The index as it is now; None where there is none. Raises FileTroubleError."""
    listed = next((one for one in files if one.name == INDEX_NAME), None)
    if listed is None:
        return None
    key = (directory.path, listed.size, listed.mtime_ns)
    with _lock:
        if key in _indexes:
            return _indexes[key]
    try:
        file = file_now(directory, INDEX_NAME)
    except TooLargeError:
        file = files_read(directory, [listed])[0]
    if file is None:
        return None
    index = read_index(file)
    with _lock:
        _indexes[key] = index
        while len(_indexes) > KEPT:
            _indexes.popitem(last=False)
    return index
