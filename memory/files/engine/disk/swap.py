"""Replaces, creates or deletes one file, in a way that can be reverted until it is finished.

The new text is written and synced to a temporary file, then the two names are exchanged. The displaced text is checked:
if it is not the expected one, another program wrote in between, and its text is put back."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from memory.files.engine.disk.atomic_rename import exchange, move
from memory.files.engine.disk.errors import AlreadyThereError, DisturbedError, FileTroubleError, translate_errors
from memory.files.engine.disk.folder import TEMPORARY, Folder, digest_of, read_at

UNFINISHED = ".part"


@dataclass(slots=True)
class Swap:
    """`before` and `after` are digests; None means no file."""

    folder: Folder
    name: str
    before: str | None
    after: str | None
    token: str
    """Part of the temporary file's name; the same after a crash."""
    data: bytes = field(default=b"", repr=False)
    mode: int = 0o644
    mtime_ns: int | None = None
    is_applied: bool = False

    @property
    def temporary_name(self) -> str:
        return f"{TEMPORARY}{self.token}"

    def prepare(self) -> None:
        """Does everything that needs disk space. The file itself is not touched."""
        if self.after is None:
            return
        part = f"{self.temporary_name}{UNFINISHED}"
        with self.folder.open_parent(self.name, make=True) as (fd, _), translate_errors(self.name):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            try:
                with os.fdopen(os.open(part, flags, 0o600, dir_fd=fd), "wb") as file:
                    file.write(self.data)
                    file.flush()
                    os.fchmod(file.fileno(), self.mode)
                    if self.mtime_ns is not None:
                        os.utime(file.fileno(), ns=(self.mtime_ns, self.mtime_ns))
                    os.fsync(file.fileno())
                os.rename(part, self.temporary_name, src_dir_fd=fd, dst_dir_fd=fd)
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(part, dir_fd=fd)
                raise

    def apply(self) -> None:
        """Exchanges the names. DisturbedError and AlreadyThereError leave the other program's text in place."""
        with self.folder.open_parent(self.name) as (fd, leaf), translate_errors(self.name):
            if self.before is None:
                self._put(fd, leaf)
            elif self.after is None:
                self._displace(
                    fd, partial(move, fd, leaf, self.temporary_name), partial(move, fd, self.temporary_name, leaf)
                )
            else:
                swap = partial(exchange, fd, self.temporary_name, leaf)
                self._displace(fd, swap, swap)
            self.is_applied = True  # even if the sync fails: then it has to be reverted
            os.fsync(fd)

    def revert(self) -> bool:
        """Restores the earlier state. Returns False, and changes nothing, if the file was changed since."""
        if not self.is_applied:
            return True
        back = Swap(self.folder, self.name, self.after, self.before, self.token)
        try:
            back.apply()
        except (DisturbedError, AlreadyThereError):
            return False
        self.is_applied = False
        return True

    def finish(self) -> None:
        """Deletes the temporary file. Its bytes are in the history by then."""
        with suppress(FileTroubleError), self.folder.open_parent(self.name) as (fd, _), translate_errors(self.name):
            for name in (self.temporary_name, f"{self.temporary_name}{UNFINISHED}"):
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=fd)

    def _put(self, fd: int, leaf: str) -> None:
        try:
            move(fd, self.temporary_name, leaf)
        except FileExistsError as error:
            raise AlreadyThereError(f"{self.name} is already there.") from error

    def _displace(self, fd: int, take: Callable[[], None], back: Callable[[], None]) -> None:
        try:
            take()
        except FileNotFoundError as error:
            raise DisturbedError(self.name) from error
        displaced = None
        with suppress(FileTroubleError, OSError):
            displaced = read_at(fd, self.temporary_name, self.name)
        if displaced is None or digest_of(displaced.data) != self.before:
            back()
            raise DisturbedError(self.name)
