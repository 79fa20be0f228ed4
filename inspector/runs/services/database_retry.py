"""Writes that must succeed although the database may be unavailable for a while: restarting, or locked."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

from inspector.structured import get_logger

FIRST_PAUSE = 0.25
LONGEST_PAUSE = 2.0

T = TypeVar("T")
logger = get_logger(__name__)


def retry_while_unavailable(action: Callable[[], T], *, seconds: float) -> T:
    """Repeats the action until it succeeds or the time is over, each time on a new connection. Inside a transaction it
    is never repeated: what the transaction did before is gone with the connection."""
    end, pause = time.monotonic() + seconds, FIRST_PAUSE
    while True:
        try:
            return action()
        except (OperationalError, InterfaceError) as error:
            if connection.in_atomic_block or time.monotonic() + pause > end:
                raise
            logger.info("database_tried_again", error=str(error).strip())
            connection.close()
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
