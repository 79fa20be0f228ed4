"""The key of the owner, in the home. Cookies are signed with it and the secret of the recording endpoint follows from
it, so that both outlive a restart, and a new key puts an end to both."""

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
SHORTEST = 32
"""Bytes. A key of ours has 64."""
COOKIE_SECONDS = 400 * 24 * 3600
"""As long as browsers keep a cookie."""


@dataclass(frozen=True, slots=True)
class OwnerKey:
    secret: bytes

    @property
    def cookie_name(self) -> str:
        """Different for each home: cookies of one host do not tell its ports apart."""
        return f"lucid_owner_{self._derived('name')[:8]}"

    @property
    def capture_secret(self) -> str:
        return self._derived("capture")[:32]

    def cookie(self, now: float) -> str:
        content = f"{int(now)}.{secrets.token_hex(8)}"
        return f"{content}.{self._derived(content)}"

    def admits(self, cookie: str, now: float) -> bool:
        content, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._derived(content).encode()):
            return False
        # Only after the signature: what it holds was written by us.
        return int(content.partition(".")[0]) > now - COOKIE_SECONDS

    def _derived(self, purpose: str) -> str:
        return hmac.new(self.secret, purpose.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def owner_key(home: Path) -> OwnerKey:
    """Made when there is none. It is looked at each time, because another process may replace it."""
    path = home / NAME
    try:
        key = _read_now(path)
    except FileNotFoundError:
        _create(path)
        key = _read_now(path)
    if len(key.secret) < SHORTEST:
        # A bad disk left this of it. Whoever guesses the rest would be let in, and an empty key needs no guess.
        owner_key_replace(home)
        key = _read_now(path)
    return key


def owner_key_replace(home: Path) -> None:
    """Everybody who was let in has to come in anew, and the recording endpoint gets another address."""
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
