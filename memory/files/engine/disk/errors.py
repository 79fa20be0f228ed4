"""What can go wrong with a user's files. Each error has a message that pages can show."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from sessions.text.engine.error_reason import reason_of


class FileTroubleError(Exception):
    """Nothing was changed, or everything was restored."""


class OutsideError(FileTroubleError):
    """A name that leads out of the directory or through a link."""


class NotAFileError(FileTroubleError):
    """A directory, a pipe or the like."""


class TooLargeError(FileTroubleError):
    pass


class NoRoomError(FileTroubleError):
    """The disk or the user's quota is full."""


class ReadOnlyError(FileTroubleError):
    pass


class DirectoryGoneError(FileTroubleError):
    pass


class AlreadyThereError(FileTroubleError):
    """The name is taken."""


class NotThereError(FileTroubleError):
    pass


class DisturbedError(FileTroubleError):
    """Another program changed the file while it was being replaced. Its text was left in place."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} was changed by somebody else in this very moment. Their text was left in place.")
        self.name = name


_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
_LINKS = {errno.ELOOP, errno.EMLINK}


@contextmanager
def translate_errors(name: str) -> Iterator[None]:
    """Turns an OSError about a file or directory into a FileTroubleError."""
    try:
        yield
    except OSError as error:
        raise translate_error(error, name) from error


def translate_error(error: OSError, name: str) -> FileTroubleError:
    if error.errno in _NO_ROOM:
        return NoRoomError(f"There is no room to write {name}: the disk is full. The file is as it was.")
    if error.errno in _DENIED:
        return ReadOnlyError(f"{name} may not be written or read here ({reason_of(error)}). The file is as it was.")
    if error.errno in _LINKS:
        return OutsideError(f"{name} is a link. Links are not followed: they could lead out of the directory.")
    if error.errno == errno.ENOTDIR:
        return OutsideError(f"{name} leads through a link, or through a file that is no directory.")
    if error.errno in (errno.ENOENT, errno.ESTALE):
        return DirectoryGoneError(f"{name} is gone: its directory was deleted or moved.")
    if error.errno in (errno.EISDIR, errno.ENXIO):
        return NotAFileError(f"{name} is no file.")
    if error.errno == errno.ENAMETOOLONG:
        return OutsideError(f"{name} is too long for a name.")
    return FileTroubleError(f"{name} could not be written or read ({reason_of(error)}).")
