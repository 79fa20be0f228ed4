"""Follows the agent's files: whatever is appended is in the archive, and on the page, within a second; whatever changes
in a memory directory becomes a version."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from django.db import Error as DatabaseError
from django.db import close_old_connections
from watchfiles import Change, watch

from compaction.cache.services.runs import cache_diffs_catch_up, cache_diffs_follow
from compaction.export.services import link_exports_to_origin
from inspector.resources import DEMO
from inspector.runs.services.stops import RunKilled
from inspector.structured import get_logger
from memory.files.engine.disk import FileTroubleError
from memory.files.services.demo import demo_copy
from memory.files.services.discovery import directories_find
from memory.files.services.scanning import directories_of, memory_follow, memory_follow_one
from memory.notes.services.versions import notes_follow
from sessions.archive.engine.damage import DamageError
from sessions.archive.services import blocks_catch_up
from sessions.imports.engine.discovery import is_inside, is_session_file
from sessions.imports.services.import_runs import demo_return, demo_settle, has_import_ended, import_run, is_demo_shown
from sessions.imports.services.sync import sync, sync_files
from sessions.weights.services.weighing import weights_create

DEBOUNCE_MS = 150
STEP_MS = 50
ABSENT_SECONDS = 2.0
RESCAN_SECONDS = 300.0
"""File systems that send no notices exist: now and then we look for ourselves."""
TROUBLE_SECONDS = 10.0
"""The disk was full, or the database away: what could not be read then is read soon after."""
SEAL_SECONDS = 1.0

logger = get_logger(__name__)


def follow(path: Path, stop: threading.Event) -> None:
    """Import `path`, then keep up with it until `stop` is set."""
    seal = Sealing()
    _begin(path)
    _compare(None)
    _measure(None)
    while not stop.is_set():
        if not _root(path).is_dir():
            stop.wait(ABSENT_SECONDS)
            continue
        _follow_present(path, stop, seal)


def _begin(path: Path) -> None:
    try:
        if _root(path).is_dir():
            # If somebody stops it, the rest is left out.
            with suppress(RunKilled):
                if path == DEMO:
                    demo_return()
                import_run(path)
        _settle(path)
        if is_demo_shown():
            _remember(DEMO / "projects")
    except (OSError, DatabaseError) as error:
        # On a full disk, or without the database, it is tried again and again.
        logger.warning("import_failed", error=str(error))
    finally:
        close_old_connections()


class Sealing:
    """Adds hashes to the blocks of an older archive, a few at a time, while there is nothing else to do."""

    def __init__(self) -> None:
        self._steps: Iterator[int] | None = blocks_catch_up()

    def __call__(self) -> None:
        end = time.monotonic() + SEAL_SECONDS
        try:
            while self._steps is not None and time.monotonic() < end:
                if next(self._steps, None) is None:
                    self._steps = None
        except (OSError, DatabaseError) as error:
            # The next check or the next start does the rest.
            logger.info("sealing_failed", error=str(error))
            self._steps = None
        finally:
            close_old_connections()


def _follow_present(path: Path, stop: threading.Event, seal: Sealing) -> None:
    due = _import(path)
    for changes in watch(
        _root(path),
        watch_filter=None,
        debounce=DEBOUNCE_MS,
        step=STEP_MS,
        stop_event=stop,
        rust_timeout=5_000,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        if not _root(path).is_dir():
            return
        if time.monotonic() > due:
            due = _import(path)
        elif changes:
            _take(path, changes)
        else:
            seal()


def _take(path: Path, changes: Iterable[tuple[Change, str]]) -> None:
    named = {Path(name) for _, name in changes}
    root = _root(path)
    files = {file for file in named if is_session_file(file.name, str(file.parent)) and is_inside(root, file)}
    # A file in a memory directory is no transcript.
    is_deleted = any(change is Change.deleted and not directories_of(root, [Path(name)]) for change, name in changes)
    touched: list[int] = []
    try:
        touched = sync([path]).touched if is_deleted and has_import_ended(path) else sync_files(sorted(files))
        if files:
            link_exports_to_origin()
            _settle(path)
    except (OSError, DatabaseError) as error:
        # The next change or rescan continues from what was committed.
        logger.warning("import_failed", error=str(error))
    finally:
        close_old_connections()
    _remember(root, named, touched)
    _compare(touched)
    _measure(touched)


def _remember(root: Path, changed: Iterable[Path] | None = None, transcripts: Collection[int] = ()) -> None:
    try:
        if root.is_relative_to(DEMO):
            root, changed = demo_copy(projects=root), None
        memory_follow(projects=root, changed=changed, transcripts=transcripts)
        for directory in directories_find(config=root.parent) if changed is None else ():
            memory_follow_one(directory=directory)
        notes_follow(projects=root, changed=changed)
    except (OSError, DatabaseError, FileTroubleError, DamageError) as error:
        # The next change or rescan finds what has no version yet.
        logger.warning("memory_not_followed", error=str(error))
    finally:
        close_old_connections()


def _compare(transcripts: Collection[int] | None) -> None:
    """Starts cache scans of these files if their cache dropped; if none are given, of all that have changed."""
    try:
        if transcripts is None:
            cache_diffs_catch_up()
        elif transcripts:
            cache_diffs_follow(transcripts=transcripts)
    except DatabaseError as error:
        # The next start, or opening the page, does it.
        logger.warning("cache_not_compared", error=str(error))
    finally:
        close_old_connections()


def _measure(transcripts: Collection[int] | None) -> None:
    """Starts measuring the tokens of these files; if none are given, of all that have changed."""
    try:
        if transcripts is None or transcripts:
            weights_create(transcripts=transcripts)
    except DatabaseError as error:
        # The next start or import does it; until then sizes are estimated.
        logger.warning("tokens_not_measured", error=str(error))
    finally:
        close_old_connections()


def _import(path: Path) -> float:
    """Imports everything new, unless somebody stopped that. Returns when to look again."""
    touched: list[int] = []
    pause = RESCAN_SECONDS
    try:
        if has_import_ended(path):
            touched = sync([path]).touched
            _settle(path)
    except (OSError, DatabaseError) as error:
        logger.warning("import_failed", error=str(error))
        pause = TROUBLE_SECONDS
    finally:
        close_old_connections()
    _remember(_root(path))
    _compare(touched)
    _measure(touched)
    return time.monotonic() + pause


def _settle(path: Path) -> None:
    """If somebody asks for the demo, it is shown beside all other sessions."""
    if path != DEMO:
        demo_settle()


def _root(path: Path) -> Path:
    projects = path / "projects"
    return projects if projects.is_dir() else path
