"""How the recording endpoint fares: what it handed on, what it wrote down, and what went wrong with that."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from inspector.owner.key import owner_key
from sessions.capture.endpoint.proxy import PREFIX
from sessions.capture.endpoint.spool import Waiting
from sessions.capture.endpoint.spool_location import recorder_of, spool_of


@dataclass(frozen=True, slots=True)
class Capturing:
    on: bool
    upstream: str
    days: int
    forwarded: int
    written: int
    lost: tuple[tuple[str, int], ...]
    """Why recordings were given up, and how often; the most frequent first."""
    last_lost: int | None
    waiting: Waiting
    unreadable: Waiting
    aside: str
    """Where the unreadable ones are."""

    @property
    def lost_in_all(self) -> int:
        return sum(count for _, count in self.lost)


def capturing() -> Capturing:
    counts, spool = recorder_of(settings.LUCID_HOME).counts, spool_of(settings.LUCID_HOME)
    return Capturing(
        settings.LUCID_CAPTURE,
        str(settings.LUCID_CAPTURE_UPSTREAM),
        settings.LUCID_CAPTURE_DAYS,
        counts.forwarded,
        counts.written,
        tuple(counts.lost.most_common()),
        None if counts.last_lost is None else int(counts.last_lost * 1000),
        spool.waiting(),
        spool.unreadable(),
        str(spool.aside),
    )


def endpoint(origin: str) -> str:
    """What a client takes as the address of the API. `origin`: of this server, as the reader knows it."""
    secret = f"/{owner_key(settings.LUCID_HOME).capture_secret}" if settings.LUCID_OWNER_CHECK else ""
    return f"{origin}{PREFIX}{secret}"
