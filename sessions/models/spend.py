"""Requests to the API and the turns that they served. A request is counted once, whichever files repeat it."""

from __future__ import annotations

from django.db import models

from sessions.models.rowid import RowIdField
from sessions.models.transcript import Transcript


class Request(models.Model):
    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="request_set", db_index=False)
    message_key = models.BigIntegerField(db_index=True)
    position = models.IntegerField()
    """Of the first record of the answer."""
    turn = models.IntegerField(default=0)
    message_id = models.CharField(max_length=200)
    request_id = models.CharField(max_length=200, default="")
    agent = models.CharField(max_length=200, default="")
    """The sub-agent that asked; empty for the main thread."""
    model = models.CharField(max_length=120, default="")
    at = models.BigIntegerField(null=True)
    input = models.BigIntegerField(default=0)
    cache_read = models.BigIntegerField(default=0)
    cache_write_5m = models.BigIntegerField(default=0)
    cache_write_1h = models.BigIntegerField(default=0)
    output = models.BigIntegerField(default=0)
    cost = models.FloatField(null=True)
    owned = models.BooleanField(default=True)
    """False in a file that only repeats the request: a fork, or a copy."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["transcript", "message_key"], name="one_request_per_message")]

    def __str__(self) -> str:
        return self.message_id


class Turn(models.Model):
    """From one input of a person to the next. The id is `transcript << POSITION_BITS | number`."""

    id = RowIdField(primary_key=True)
    first = models.IntegerField()
    last = models.IntegerField()
    started_at = models.BigIntegerField(null=True)
    ended_at = models.BigIntegerField(null=True)
    calls = models.IntegerField(default=0)
    errors = models.IntegerField(default=0)
    requests = models.IntegerField(default=0)
    input = models.BigIntegerField(default=0)
    cache_read = models.BigIntegerField(default=0)
    cache_write = models.BigIntegerField(default=0)
    output = models.BigIntegerField(default=0)
    cost = models.FloatField(null=True)

    def __str__(self) -> str:
        return f"turn {self.id}"

    @property
    def total(self) -> int:
        return self.input + self.cache_read + self.cache_write + self.output

    @property
    def duration(self) -> int | None:
        return self.ended_at - self.started_at if self.ended_at is not None and self.started_at is not None else None
