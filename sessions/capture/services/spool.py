"""From the spool into the database, in whichever process has the time for it; and what is too old out again."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.db import DataError, IntegrityError
from django.db import Error as DatabaseError

from inspector.structured import get_logger
from inspector.web.clock import now_ms
from sessions.capture.endpoint.spool import Spool
from sessions.capture.endpoint.spool_location import spool_of
from sessions.capture.engine import Exchange, UnreadableExchangeError
from sessions.capture.services.captures import capture_store, captures_prune

DAY = 24 * 3600 * 1000

logger = get_logger(__name__)


@dataclass(slots=True)
class Ingested:
    stored: int = 0
    unreadable: int = 0
    messages: list[str] = field(default_factory=list)
    """The answers that came to what is stored."""


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
            message = _ingest(path)
            if message is None:
                done.unreadable += 1
                spool.set_aside(path)
                continue
            done.stored += 1
            done.messages += [message] if message else []
            path.unlink()
    return done


def _ingest(path: Path) -> str | None:
    """None if it cannot be stored. Else the id of its answer; empty if it has none, or was stored before."""
    try:
        stored = capture_store(exchange=Exchange.of_bytes(path.read_bytes()))
    except UnreadableExchangeError as error:
        logger.warning("capture_unreadable", file=path.name, error=str(error))
        return None
    except (DataError, IntegrityError) as error:
        logger.warning("capture_refused", file=path.name, error=type(error).__name__)
        return None
    except (DatabaseError, OSError):
        raise
    except Exception:
        # One file that we cannot deal with must not keep all others waiting.
        logger.exception("capture_failed", file=path.name)
        return None
    return stored.message_id if stored is not None else ""


def captures_wait() -> bool:
    """Whether anything is to be stored."""
    return bool(spool_of(settings.LUCID_HOME).waiting().files)


def captures_forget() -> int:
    """Those older than the setting allows."""
    gone = captures_prune(before=now_ms() - settings.LUCID_CAPTURE_DAYS * DAY)
    if gone:
        logger.info("captures_forgotten", count=gone)
    return gone
