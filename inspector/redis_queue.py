"""The queue on Redis, for workers that outlive it. When a connection breaks, kombu would put back what was taken and
not acknowledged, and later acknowledge it, both on the connection that is gone, and the worker dies of either. Nothing
is lost without: the row of a run is the truth, a message that comes twice does nothing, and a run that is still queued
gets another."""

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
