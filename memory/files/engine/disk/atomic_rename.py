"""Exchanges two names, or renames only if the target is free, in one system call, so that nothing another program wrote
is overwritten unseen. On file systems that cannot do this, two steps come close."""

from __future__ import annotations

import ctypes
import errno
import os

_NO_REPLACE = 1
_EXCHANGE = 2
_UNABLE = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}

_libc = ctypes.CDLL(None, use_errno=True)


def exchange(folder: int, first: str, second: str) -> None:
    """Exchanges two existing files of a directory."""
    if not _rename(folder, first, second, _EXCHANGE):
        exchange_in_steps(folder, first, second)


def move(folder: int, name: str, to: str) -> None:
    """Raises FileExistsError if `to` exists."""
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
    """Returns False if the system or the file system does not support it."""
    call = getattr(_libc, "renameat2", None)
    if call is None:
        return False
    if call(folder, os.fsencode(name), folder, os.fsencode(to), flags) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNABLE:
        return False
    raise OSError(code, os.strerror(code), name)
