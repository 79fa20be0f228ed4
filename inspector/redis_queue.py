"""The queue on Redis, for workers that survive its restarts. When a connection breaks, kombu would put unacknowledged
messages back, and later acknowledge them, on the connection that is gone; either ends the worker. Nothing is lost
without that: the row of a run counts, a duplicate message does nothing, and a run that is still queued gets another
message."""

from __future__ import annotations

from kombu.transport import redis


class Channel(redis.Channel):
    do_restore = False

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        if not self.closed:
            super().basic_ack(delivery_tag, multiple)

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:
        if not self.closed:
            super().basic_reject(delivery_tag, requeue)


class Transport(redis.Transport):
    Channel = Channel
