"""Opens untrusted files: only regular ones, and without blocking on a pipe."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO


class NotRegularError(OSError):
    """A directory, a pipe or a device."""


def open_regular(path: str | os.PathLike[str], *, follow: bool) -> BinaryIO:
    """`follow`: allow the last part of the path to be a link. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotRegularError(errno.EINVAL, "no regular file", str(path))
    return os.fdopen(handle, "rb")
