"""What waits on the queue, whichever it is: files in the home, or a list in Redis."""

from __future__ import annotations

from typing import Any

import redis
from django.conf import settings


def messages() -> list[Any]:
    if settings.REDIS_URL:
        with redis.Redis.from_url(settings.REDIS_URL) as server:
            return list(server.lrange(settings.CELERY_TASK_DEFAULT_QUEUE, 0, -1))
    return list((settings.CELERY_QUEUE_DIR / "messages").glob("*.msg"))


def messages_forget() -> None:
    if settings.REDIS_URL:
        with redis.Redis.from_url(settings.REDIS_URL) as server:
            server.delete(settings.CELERY_TASK_DEFAULT_QUEUE)
    for path in settings.CELERY_QUEUE_DIR.rglob("*.msg"):
        path.unlink()
