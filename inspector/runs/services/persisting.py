"""What must be written although the database may be away for a while: restarted, or held by somebody else."""

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


def persist(action: Callable[[], T], *, seconds: float) -> T:
    """Tries again for so long, each time on a new connection. Inside a transaction nothing can be tried again: what
    was done in it before is gone with the connection."""
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
