"""The state of the recording endpoint: how many requests it forwarded, recorded and lost."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from inspector.owner.key import owner_key
from sessions.capture.endpoint.proxy import PREFIX
from sessions.capture.endpoint.spool import FolderSize
from sessions.capture.endpoint.spool_location import recorder_of, spool_of


@dataclass(frozen=True, slots=True)
class RecordingState:
    is_on: bool
    upstream: str
    days: int
    forwarded: int
    written: int
    lost: tuple[tuple[str, int], ...]
    """Why recordings were lost, and how many; most frequent first."""
    waiting: FolderSize
    unreadable: FolderSize
    unreadable_folder: str
    """The folder of unreadable recordings."""

    @property
    def lost_count(self) -> int:
        return sum(count for _, count in self.lost)


def recording_state() -> RecordingState:
    counts, spool = recorder_of(settings.LUCID_HOME).counts, spool_of(settings.LUCID_HOME)
    return RecordingState(
        settings.LUCID_CAPTURE,
        str(settings.LUCID_CAPTURE_UPSTREAM),
        settings.LUCID_CAPTURE_DAYS,
        counts.forwarded,
        counts.written,
        tuple(counts.lost.most_common()),
        spool.waiting(),
        spool.unreadable(),
        str(spool.unreadable_folder),
    )


def endpoint_address(origin: str) -> str:
    """The address that clients use in place of the API's. `origin`: the one under which the reader reached Lucid."""
    secret = f"/{owner_key(settings.LUCID_HOME).capture_secret}" if settings.LUCID_OWNER_CHECK else ""
    return f"{origin}{PREFIX}{secret}"
