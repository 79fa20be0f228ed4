"""Keeps the home readable by its owner only, even if it was created or copied with other modes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sessions.text.engine.error_reason import reason_of

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def tighten_home(home: Path) -> str | None:
    """Directories 0700, files 0600. Returns a sentence if that fails. Leaves links alone: they may lead anywhere."""
    try:
        # The home first: once nobody else can enter it, nobody can replace its contents meanwhile.
        _tighten(home, home.lstat().st_mode)
        for folder, names, files in os.walk(home):
            for name in (*names, *files):
                path = Path(folder, name)
                _tighten_if_there(path)
    except OSError as error:
        where = error.filename or home
        reason = reason_of(error)
        return f"Others may be able to read {where}, and Lucid cannot change that ({reason}); check who owns it."
    return None


def _tighten_if_there(path: Path) -> None:
    """Servers and workers may remove their files at any time."""
    try:
        _tighten(path, path.lstat().st_mode)
    except FileNotFoundError:
        return


def _tighten(path: Path, mode: int) -> None:
    if stat.S_ISLNK(mode) or not mode & OTHERS:
        return
    path.chmod(stat.S_IMODE(mode) & ~OTHERS)
    if path.lstat().st_mode & OTHERS:
        # Some file systems accept a mode but keep their own.
        raise PermissionError(None, "the file system keeps no modes", str(path))
