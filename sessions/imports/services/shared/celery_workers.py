"""Finds and calls workers that help with imports. See `sharing.py`."""

from __future__ import annotations

from django.conf import settings

from inspector.structured import get_logger

TASK = "sessions.help_import"
ANSWER_SECONDS = 1.0
WANTED_SECONDS = 10
"""A call that nobody has heard by then is repeated, so the old one is not to be heard any more."""

logger = get_logger(__name__)


class Workers:
    """Workers that take their jobs from Redis."""

    def places(self) -> int:
        """None without Redis, because all workers are then on this host, whose processors the import uses anyway."""
        if not settings.REDIS_URL:
            return 0
        from kombu.exceptions import OperationalError

        from inspector.celery import app

        with app.connection_for_read() as connection:
            unreachable: tuple[type[BaseException], ...] = (OperationalError, OSError, *connection.connection_errors)
            try:
                connection.ensure_connection(max_retries=1)
                answers = app.control.broadcast("stats", reply=True, timeout=ANSWER_SECONDS, connection=connection)
            except unreachable as error:
                logger.info("queue_unreachable", error=str(error))
                return 0
        return sum(int(stats["pool"]["max-concurrency"]) for answer in answers or () for stats in answer.values())

    def call(self, shared_import: int, count: int) -> None:
        from kombu.exceptions import ChannelError, OperationalError

        from inspector.celery import app

        try:
            for _ in range(count):
                app.send_task(TASK, args=[shared_import], ignore_result=True, expires=WANTED_SECONDS)
        except (OperationalError, ChannelError, OSError) as error:
            logger.warning("workers_not_called", error=str(error))


workers = Workers()
