"""The key of the owner, in the home. Cookies are signed with it and the secret of the recording endpoint is derived
from it, so both survive a restart, and a new key invalidates both."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sessions.archive.engine.durable_files import create_durably, replace_durably

NAME = "owner.key"
LEAST_BYTES = 32
"""The least length of a key; Lucid's own have 64 bytes."""
COOKIE_SECONDS = 400 * 24 * 3600
"""As long as browsers keep a cookie."""


@dataclass(frozen=True, slots=True)
class OwnerKey:
    secret: bytes

    @property
    def cookie_name(self) -> str:
        """Different for each home, because browsers share cookies between the ports of a host."""
        return f"lucid_owner_{self._derive('name')[:8]}"

    @property
    def capture_secret(self) -> str:
        return self._derive("capture")[:32]

    def cookie(self, now: float) -> str:
        content = f"{int(now)}.{secrets.token_hex(8)}"
        return f"{content}.{self._derive(content)}"

    def admits(self, cookie: str, now: float) -> bool:
        content, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._derive(content).encode()):
            return False
        # Read only after the signature was checked: we wrote this content.
        return int(content.partition(".")[0]) > now - COOKIE_SECONDS

    def _derive(self, purpose: str) -> str:
        return hmac.new(self.secret, purpose.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def owner_key(home: Path) -> OwnerKey:
    """Creates the key if there is none. It is read each time, because another process may replace it."""
    path = home / NAME
    try:
        key = _read_now(path)
    except FileNotFoundError:
        _create(path)
        key = _read_now(path)
    if len(key.secret) < LEAST_BYTES:
        # A bad disk has truncated the key. A short key can be guessed, and an empty one is known.
        owner_key_replace(home)
        key = _read_now(path)
    return key


def owner_key_replace(home: Path) -> None:
    """All browsers need a new token, and the recording endpoint gets another address."""
    replace_durably(home / NAME, _new())


def _read_now(path: Path) -> OwnerKey:
    state = path.stat()
    return _read(path, state.st_ino, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _read(path: Path, inode: int, changed: int, size: int) -> OwnerKey:
    return OwnerKey(path.read_bytes().strip())


def _create(path: Path) -> None:
    # Two processes that start together must end with the same key.
    with suppress(FileExistsError):
        create_durably(path, _new())


def _new() -> bytes:
    return secrets.token_urlsafe(48).encode() + b"\n"
