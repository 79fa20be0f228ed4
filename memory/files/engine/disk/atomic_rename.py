"""Two names exchanged, or one given only if it is free, in one step of the system: whoever else writes there is never
overwritten without us getting to see what they wrote. Where a file system cannot do it, two steps come close."""

from __future__ import annotations

import ctypes
import errno
import os

_NO_REPLACE = 1
_EXCHANGE = 2
_UNABLE = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}

_libc = ctypes.CDLL(None, use_errno=True)


def exchange(folder: int, first: str, second: str) -> None:
    """Both names are in the directory, and both are there."""
    if not _rename(folder, first, second, _EXCHANGE):
        exchange_in_steps(folder, first, second)


def move(folder: int, name: str, to: str) -> None:
    """FileExistsError if `to` is taken."""
    if not _rename(folder, name, to, _NO_REPLACE):
        move_in_steps(folder, name, to)


def exchange_in_steps(folder: int, first: str, second: str) -> None:
    aside = f"{first}.aside"
    os.link(second, aside, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    os.rename(first, second, src_dir_fd=folder, dst_dir_fd=folder)
    os.rename(aside, first, src_dir_fd=folder, dst_dir_fd=folder)


def move_in_steps(folder: int, name: str, to: str) -> None:
    os.link(name, to, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    os.unlink(name, dir_fd=folder)


def _rename(folder: int, name: str, to: str, flags: int) -> bool:
    """False if the system or the file system does not know how."""
    call = getattr(_libc, "renameat2", None)
    if call is None:
        return False
    if call(folder, os.fsencode(name), folder, os.fsencode(to), flags) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNABLE:
        return False
    raise OSError(code, os.strerror(code), name)
