"""The duties of workers and watchers. See inspector.runs.services.schedule for who does them."""

from __future__ import annotations

from django.conf import settings

from compaction.cache.services.runs import cache_diffs_recheck
from inspector.runs.services.reaping import runs_reap, runs_watch
from inspector.runs.services.schedule import Duty
from sessions.capture.services.spool import captures_forget, captures_ingest, captures_wait


def captures_follow_up() -> None:
    """Stores what waits, and has the prompt cache looked into where that tells something new."""
    cache_diffs_recheck(messages=captures_ingest().messages)


REAP = Duty("runs", every=5.0, look=3.0, wanted=runs_watch, work=runs_reap)
# The recordings lie in a home, and its processes agree by a lock on the folder.
CAPTURES = Duty("captures", every=1.0, wanted=captures_wait, work=captures_follow_up, shared=False)
FORGET_CAPTURES = Duty("old captures", every=3600.0, look=600.0, work=captures_forget)

WATCHER = (REAP, CAPTURES, FORGET_CAPTURES)


def worker_duties() -> tuple[Duty, ...]:
    """All of them. The watcher has no use for dreams, which takes long to load."""
    from memory.dreams.services import dreams_start

    # As often as sessions may be counted; whether a dream is due is for its gates to say.
    dreams = Duty("dreams", every=600.0, look=30.0, wanted=lambda: settings.LUCID_DREAMS, work=dreams_start)
    return (*WATCHER, dreams)
