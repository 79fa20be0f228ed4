"""Puts runs on the queue. A run whose message is lost stays queued in the database, and its message is sent again."""

from __future__ import annotations

from typing import Any

from inspector.runs.models import Run
from inspector.structured import get_logger
from inspector.web.clock import now_ms

TASK = "inspector.run"

logger = get_logger(__name__)


def run_enqueue(run_id: int) -> bool:
    """Sends the message of a queued run. False if the queue cannot be reached; the run then waits for the next try."""
    # Most processes queue nothing, and Celery is slow to import.
    from kombu.exceptions import ChannelError, OperationalError

    from inspector.celery import app

    try:
        app.send_task(TASK, args=[run_id], ignore_result=True)
    except (OperationalError, ChannelError, OSError) as error:
        logger.warning("run_not_queued", run=run_id, error=str(error))
        return False
    Run.objects.filter(pk=run_id).update(queued_at=now_ms())
    return True


def messages_waiting() -> int | None:
    """The number of messages that no worker has taken yet; None if the queue cannot be reached."""
    from kombu.exceptions import OperationalError

    from inspector.celery import app

    with app.connection_for_read() as connection:
        unreachable: tuple[type[BaseException], ...] = (OperationalError, OSError, *connection.connection_errors)
        try:
            channel: Any = connection.ensure_connection(max_retries=1).default_channel
            return int(channel.queue_declare(app.conf.task_default_queue).message_count)
        except unreachable as error:
            logger.info("queue_unreachable", error=str(error))
            return None
