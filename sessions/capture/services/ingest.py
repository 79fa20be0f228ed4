"""Stores recordings from the spool in the database, and deletes captures that are too old."""

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
class IngestResult:
    stored: int = 0
    unreadable: int = 0
    messages: list[str] = field(default_factory=list)
    """Message ids of the stored answers."""


def captures_ingest(*, spool: Spool | None = None, stop: threading.Event | None = None) -> IngestResult:
    """Stores waiting recordings, in one process at a time. It can be killed and repeated. Raises DatabaseError if
    nothing can be stored now; the remaining files stay."""
    spool, result = spool or spool_of(settings.LUCID_HOME), IngestResult()
    with spool.lock() as is_ours:
        if not is_ours:
            return result
        spool.remove_abandoned_drafts(time.time())
        for path in spool.files():
            if stop is not None and stop.is_set():
                break
            message = _ingest_file(path)
            if message is None:
                result.unreadable += 1
                spool.set_aside(path)
                continue
            result.stored += 1
            result.messages += [message] if message else []
            path.unlink()
    return result


def _ingest_file(path: Path) -> str | None:
    """None if it cannot be stored, else the id of its answer; empty if it has none, or was stored before."""
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
        # One bad file must not block the others.
        logger.exception("capture_failed", file=path.name)
        return None
    return stored.message_id if stored is not None else ""


def has_waiting_captures() -> bool:
    """Whether recordings wait to be stored."""
    return bool(spool_of(settings.LUCID_HOME).waiting().files)


def captures_forget() -> int:
    """Deletes captures older than the setting allows."""
    deleted = captures_prune(before=now_ms() - settings.LUCID_CAPTURE_DAYS * DAY)
    if deleted:
        logger.info("captures_forgotten", count=deleted)
    return deleted
