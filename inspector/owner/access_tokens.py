"""Tokens that give a browser access once. Each is an empty file in the home, named by a hash of the token. To use a
token is to remove its file, which only one of several processes can do."""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

FOLDER = "entry"
LIFETIME_SECONDS = 12 * 3600


def token_create(home: Path) -> str:
    folder = home / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _forget_old(folder)
    token = secrets.token_urlsafe(32)
    os.close(os.open(_file(home, token), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return token


def token_use(home: Path, token: str) -> bool:
    """Whether the token is valid. It is used up by this."""
    path = _file(home, token)
    try:
        created_at = path.stat().st_mtime
        path.unlink()
    except FileNotFoundError:
        return False
    return created_at > time.time() - LIFETIME_SECONDS


def _forget_old(folder: Path) -> None:
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            if path.stat().st_mtime <= time.time() - LIFETIME_SECONDS:
                path.unlink()


def _file(home: Path, token: str) -> Path:
    return home / FOLDER / hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
