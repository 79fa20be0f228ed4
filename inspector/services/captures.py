"""From the spool into the database, in whichever process has the time for it; and what is too old out again."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path

import structlog
from django.conf import settings
from django.db import DataError, IntegrityError, connection
from django.db import Error as DatabaseError

from inspector.capture.here import spool_of
from inspector.capture.spool import Spool
from inspector.web.clock import now_ms
from sessions.engine.capture import Exchange, UnreadableExchangeError
from sessions.services.captures import capture_store, captures_prune

LOOK_SECONDS = 1.0
PRUNE_SECONDS = 3600.0
TROUBLE_SECONDS = 10.0
"""The database is locked or full: the files wait, and so do we."""
DAY = 24 * 3600 * 1000

logger = structlog.get_logger(__name__)


@dataclass(slots=True)
class Ingested:
    stored: int = 0
    unreadable: int = 0


def captures_ingest(*, spool: Spool | None = None, stop: threading.Event | None = None) -> Ingested:
    """Stores what waits. One process at a time; killed at any moment, it can be begun again. Raises DatabaseError when
    nothing can be stored now: what is left stays where it is."""
    spool, done = spool or spool_of(settings.LUCID_HOME), Ingested()
    with spool.held() as ours:
        if not ours:
            return done
        spool.sweep(time.time())
        for path in spool.files():
            if stop is not None and stop.is_set():
                break
            if _ingest(path):
                done.stored += 1
                path.unlink()
            else:
                done.unreadable += 1
                spool.set_aside(path)
    return done


def _ingest(path: Path) -> bool:
    """Whether it is stored, now or before."""
    try:
        capture_store(exchange=Exchange.of_bytes(path.read_bytes()))
    except UnreadableExchangeError as error:
        logger.warning("capture_unreadable", file=path.name, error=str(error))
        return False
    except (DataError, IntegrityError) as error:
        logger.warning("capture_refused", file=path.name, error=type(error).__name__)
        return False
    except (DatabaseError, OSError):
        raise
    except Exception:
        # One file that we cannot deal with must not keep all others waiting.
        logger.exception("capture_failed", file=path.name)
        return False
    return True


def captures_follow(stop: threading.Event) -> None:
    """Until `stop` is set: a capture is on the page a second after it was made."""
    due = 0.0
    while True:
        pause = LOOK_SECONDS
        try:
            captures_ingest(stop=stop)
            if time.monotonic() >= due:
                due = time.monotonic() + PRUNE_SECONDS
                captures_forget()
        except (DatabaseError, OSError) as error:
            logger.warning("captures_wait", error=str(error))
            pause = TROUBLE_SECONDS
        finally:
            connection.close()
        if stop.wait(pause):
            return


def captures_forget() -> int:
    """Those older than the setting allows."""
    gone = captures_prune(before=now_ms() - settings.LUCID_CAPTURE_DAYS * DAY)
    if gone:
        logger.info("captures_forgotten", count=gone)
    return gone
