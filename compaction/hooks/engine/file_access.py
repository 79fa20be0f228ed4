"""Who could have written a file: its owner, its mode, and every directory on the way to it. A command that others could
have put there must not run as us."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

ROOT = 0


@dataclass(frozen=True, slots=True)
class FileAccess:
    owner: str
    mode: str
    """As `ls` shows it."""
    folder_owner: str
    folder_mode: str
    refused: str = ""
    """Why others could have written it, as a sentence; empty if only we and root could."""


def inspect_access(file: Path, *, uid: int | None = None) -> FileAccess:
    """Raises OSError if the file cannot be inspected. `uid`: who we are."""
    our_uid = os.getuid() if uid is None else uid
    status, folder = file.stat(), file.parent.stat()
    why = next((reason for path in _paths_to(file) if (reason := _explain_exposure(path, our_uid))), "")
    return FileAccess(
        _name(status.st_uid), stat.filemode(status.st_mode), _name(folder.st_uid), stat.filemode(folder.st_mode), why
    )


def _paths_to(file: Path) -> Iterator[Path]:
    """The file, and all directories and links that lead to it, both as named and as resolved."""
    for path in dict.fromkeys((Path(os.path.abspath(file)), Path(os.path.realpath(file)))):
        yield path
        yield from path.parents


def _explain_exposure(path: Path, our_uid: int) -> str:
    status = path.lstat()
    if status.st_uid not in (our_uid, ROOT):
        return f"{path} belongs to {_name(status.st_uid)}."
    if stat.S_ISLNK(status.st_mode):
        return ""  # the directory around it says who may change it
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:
        return ""  # with the sticky bit, others cannot replace our files
    if status.st_mode & stat.S_IWOTH:
        return f"Everybody can write to {path} ({stat.filemode(status.st_mode)})."
    if status.st_mode & stat.S_IWGRP and not _is_alone(status.st_gid, our_uid):
        return f"Others of the group {_group(status.st_gid)} can write to {path} ({stat.filemode(status.st_mode)})."
    return ""


@lru_cache(maxsize=64)
def _is_alone(gid: int, our_uid: int) -> bool:
    """Is nobody in the group but us and root? Many systems give each user a group of their own."""
    members = {user.pw_uid for user in pwd.getpwall() if user.pw_gid == gid}
    try:
        members |= {pwd.getpwnam(name).pw_uid for name in grp.getgrgid(gid).gr_mem}
    except KeyError:
        return False  # a group without a name may be anybody's
    return members <= {our_uid, ROOT}


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _group(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)
