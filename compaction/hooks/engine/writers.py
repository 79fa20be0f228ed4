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
    """Raises OSError where it cannot be looked at. `uid`: who we are."""
    mine = os.getuid() if uid is None else uid
    status, folder = file.stat(), file.parent.stat()
    why = next((one for path in _paths_to(file) if (one := _explain_exposure(path, mine))), "")
    return FileAccess(
        _name(status.st_uid), stat.filemode(status.st_mode), _name(folder.st_uid), stat.filemode(folder.st_mode), why
    )


def _paths_to(file: Path) -> Iterator[Path]:
    """The file, and all directories and links that lead to it: as it is written, and as it is."""
    for path in dict.fromkeys((Path(os.path.abspath(file)), Path(os.path.realpath(file)))):
        yield path
        yield from path.parents


def _explain_exposure(path: Path, mine: int) -> str:
    status = path.lstat()
    if status.st_uid not in (mine, ROOT):
        return f"{path} belongs to {_name(status.st_uid)}."
    if stat.S_ISLNK(status.st_mode):
        return ""  # who may change it is told by the directory around it
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:
        return ""  # whoever may write there cannot replace what is ours
    if status.st_mode & stat.S_IWOTH:
        return f"Everybody can write to {path} ({stat.filemode(status.st_mode)})."
    if status.st_mode & stat.S_IWGRP and not _is_alone(status.st_gid, mine):
        return f"Others of the group {_group(status.st_gid)} can write to {path} ({stat.filemode(status.st_mode)})."
    return ""


@lru_cache(maxsize=64)
def _is_alone(gid: int, mine: int) -> bool:
    """Is nobody in the group but us and root? Many systems give each user a group of their own."""
    members = {one.pw_uid for one in pwd.getpwall() if one.pw_gid == gid}
    try:
        members |= {pwd.getpwnam(name).pw_uid for name in grp.getgrgid(gid).gr_mem}
    except KeyError:
        return False  # a group that nobody knows by name may be anybody's
    return members <= {mine, ROOT}


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
