"""LUCID_HOME: created on first use, private to its owner, with the secret key inside."""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from sessions.archive.engine.durable_files import DRAFT, create_durably, drafts_sweep, folders_sweep, replace_durably
from sessions.text.engine.error_reason import reason_of

FOLDERS = ("logs", "queue/messages")
SHORTEST = 32
"""Characters. Lucid's own keys have 64."""


def secret_key(home: Path) -> str:
    """The key of this home; created if there is none. Settings call it, so it is the first to find a bad home."""
    path = home / "secret.key"
    try:
        return _read(path) or _create(path)
    except OSError as error:
        raise ImproperlyConfigured(unwritable(home, error)) from error


def prepare_home(home: Path) -> None:
    """Creates the folders and checks that files can be written. Raises OSError."""
    for folder in FOLDERS:
        (home / folder).mkdir(parents=True, exist_ok=True)
    probe = home / f".probe-{os.getpid()}{DRAFT}"
    probe.touch()
    probe.unlink()
    drafts_sweep(home, time.time())
    folders_sweep(home / "working", time.time())


def unwritable(home: Path, error: OSError) -> str:
    reason = reason_of(error)
    return f"Lucid cannot write to its home {home} ({reason}); set LUCID_HOME to a directory that you can write to."


def _read(path: Path) -> str:
    """Empty if there is no key, or a broken one."""
    try:
        key = path.read_text(encoding="ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return ""
    return key if len(key) >= SHORTEST else ""


def _create(path: Path) -> str:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    key = f"{secrets.token_urlsafe(48)}\n".encode("ascii")
    try:
        # Two processes that start together must end with the same key.
        create_durably(path, key)
    except FileExistsError:
        if not _read(path):
            replace_durably(path, key)
    return _read(path)
