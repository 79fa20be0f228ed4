"""The duties of workers and watchers. See inspector.runs.services.schedule for who does them."""

from __future__ import annotations

from django.conf import settings

from inspector.runs.services.reap import runs_need_reaping, runs_reap
from inspector.runs.services.schedule import Duty
from sessions.capture.services.ingest import captures_forget, captures_ingest, has_waiting_captures


# What they call is imported only when there is something to do, because it is slow to load.
def captures_follow_up() -> None:
    """Stores waiting captures, and starts cache scans where they tell something new."""
    from compaction.cache.services.runs import cache_diffs_recheck

    cache_diffs_recheck(messages=captures_ingest().messages)


def dreams_follow_up() -> None:
    from memory.dreams.services import dreams_start

    dreams_start()


REAP = Duty("runs", interval=5.0, check_interval=3.0, is_needed=runs_need_reaping, work=runs_reap)
# The recordings are in a home, and its processes coordinate by a lock on the folder.
CAPTURES = Duty("captures", interval=1.0, is_needed=has_waiting_captures, work=captures_follow_up, shared=False)
FORGET_CAPTURES = Duty("old captures", interval=3600.0, check_interval=600.0, work=captures_forget)
# As often as sessions may be counted; the gates decide whether a dream is due.
DREAMS = Duty(
    "dreams", interval=600.0, check_interval=30.0, is_needed=lambda: settings.LUCID_DREAMS, work=dreams_follow_up
)

WATCHER = (REAP, CAPTURES, FORGET_CAPTURES)
WORKER = (*WATCHER, DREAMS)
