"""Copies across files: a uuid that several files contain belongs to the one that began first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Holder:
    """A file that holds a record."""

    key: int
    first_at: int | None
    """The earliest time in the file."""
    path: str


def find_owner(holders: Iterable[Holder]) -> int | None:
    """The file that owns a shared record: the earliest first time, then the path. Files without a time come last."""
    first = min(holders, key=_age, default=None)
    return None if first is None else first.key


def _age(holder: Holder) -> tuple[bool, int, str]:
    return holder.first_at is None, holder.first_at or 0, holder.path
