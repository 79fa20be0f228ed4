"""Addresses of pages that several apps link to."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote


def session_root(session: Any) -> str:
    """The URL that all pages of a session start with."""
    return f"/sessions/{quote(str(getattr(session, 'public_id', '')), safe='')}/"


def entry_url(root: str, address: str | int) -> str:
    """The URL of an entry, by uuid, or by position if it has none."""
    return f"{root}entries/{quote(f'L{address}' if isinstance(address, int) else address, safe='')}/"
