"""Which processes work on runs. Each holds a lock on a file of its own in the home, which the system lets go of when
the process ends, however it ends: whoever can take the lock knows that the process is gone."""

from __future__ import annotations

import fcntl
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from django.conf import settings

_lock = threading.Lock()
_own: tuple[str, IO[bytes]] | None = None


def own_name() -> str:
    """The name of this process, made when it is first asked for."""
    global _own
    with _lock:
        if _own is None:
            _own = _enter()
        return _own[0]


def is_present(name: str) -> bool | None:
    """Whether the process still runs; None if it is none of this home, so that nobody here can tell."""
    path = _folder() / name
    if not name or not path.exists():
        return None
    return not _abandoned(path)


def absent() -> Iterator[str]:
    """The processes that are gone. What is said of one is remembered until the caller goes on to the next."""
    folder = _folder()
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if _abandoned(path):
            yield path.name
            path.unlink(missing_ok=True)


def _enter() -> tuple[str, IO[bytes]]:
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    while True:
        name = f"{os.getpid()}-{secrets.token_hex(8)}"
        file = open(folder / name, "xb", opener=_private)  # noqa: SIM115 - it stays open on purpose
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Between the two, somebody may have taken it for the file of a process that is gone.
            if os.fstat(file.fileno()).st_nlink:
                return name, file
        file.close()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _abandoned(path: Path) -> bool:
    if _own is not None and path.name == _own[0]:
        return False
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except (BlockingIOError, FileNotFoundError):
        return False


def _folder() -> Path:
    return Path(settings.LUCID_HOME) / "workers"


def _leave_to_parent() -> None:
    """A forked child must not keep the lock of its parent alive."""
    global _own, _lock
    _lock = threading.Lock()
    if _own is not None:
        _own[1].close()
        _own = None


os.register_at_fork(after_in_child=_leave_to_parent)
