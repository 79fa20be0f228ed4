"""LUCID_HOME: made on first use, private to its owner, with the secret key inside."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

FOLDERS = ("logs", "queue/messages")
SHORTEST = 32
"""Characters. A key of ours has 64."""


def secret_key(home: Path) -> str:
    """The key of this home, made when there is none. Settings call it, so it is the first to meet a bad home."""
    path = home / "secret.key"
    try:
        return _read(path) or _create(path)
    except OSError as error:
        raise ImproperlyConfigured(unwritable(home, error)) from error


def prepare_home(home: Path) -> None:
    """Make the folders and prove that files can be written. Raises OSError."""
    for folder in FOLDERS:
        (home / folder).mkdir(parents=True, exist_ok=True)
    probe = home / f".probe-{os.getpid()}"
    probe.touch()
    probe.unlink()


def unwritable(home: Path, error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"Lucid cannot write to its home {home} ({reason}); set LUCID_HOME to a directory that you can write to."


def _read(path: Path) -> str:
    """Empty if there is no key, or what a bad disk left of one."""
    try:
        key = path.read_text(encoding="ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return ""
    return key if len(key) >= SHORTEST else ""


def _create(path: Path) -> str:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Written aside and linked into place: two processes that start together must end with the same key.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        if not _read(path):
            draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return _read(path)
