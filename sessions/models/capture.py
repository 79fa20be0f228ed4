"""Requests as they went over the wire. Contents that requests have in common are stored once."""

from __future__ import annotations

from django.db import models


class CaptureBlob(models.Model):
    """A message, a system block, a tool or an answer, as compressed JSON."""

    hash = models.BinaryField(max_length=16, unique=True)
    """BLAKE2b of the JSON, its keys in the order in which they came."""
    size = models.IntegerField()
    """Bytes of the JSON."""
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"content {self.pk}"


class Capture(models.Model):
    class Origin(models.TextChoices):
        CLIENT = "client", "through the recording endpoint"
        LUCID = "lucid", "asked by Lucid itself"

    class Ending(models.TextChoices):
        COMPLETE = "complete"
        CUT = "cut", "broken off by the upstream"
        LEFT = "left", "left by the client"
        UNREACHABLE = "unreachable", "never answered"

    exchange = models.CharField(max_length=64, unique=True)
    """The name that it had when it was recorded, so that it is stored once."""
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.CLIENT)
    run_id = models.BigIntegerField(null=True, db_index=True)
    """Of Lucid's own: the run that asked."""
    parent_message = models.CharField(max_length=200, default="")
    """Of a fork of Lucid's: the answer to the request that it goes on from."""

    message_key = models.BigIntegerField(null=True, db_index=True)
    message_id = models.CharField(max_length=200, default="")
    request_id = models.CharField(max_length=200, default="")
    session_id = models.CharField(max_length=200, default="", db_index=True)
    """As the request says; empty if it does not."""
    agent = models.CharField(max_length=200, default="")

    at = models.BigIntegerField(db_index=True)
    first_byte_ms = models.FloatField(null=True)
    duration_ms = models.FloatField(default=0)
    path = models.CharField(max_length=200, default="")
    model = models.CharField(max_length=120, default="")
    status = models.IntegerField(null=True)
    """None if no answer came."""
    ended = models.CharField(max_length=12, choices=Ending.choices, default=Ending.COMPLETE)
    error = models.TextField(default="")
    stop_reason = models.CharField(max_length=60, default="")

    input = models.BigIntegerField(null=True)
    cache_read = models.BigIntegerField(null=True)
    cache_write_5m = models.BigIntegerField(null=True)
    cache_write_1h = models.BigIntegerField(null=True)
    output = models.BigIntegerField(null=True)
    """None if the answer did not count, or did not arrive."""

    betas = models.JSONField(default=list)
    headers = models.JSONField(default=dict)
    """Of those that may be kept: of the request, and what its answer says of the quota."""
    params = models.JSONField(default=dict)
    """The body without system, tools and messages."""
    marks = models.JSONField(default=list)
    diagnostics = models.JSONField(default=dict)
    """What the API itself says about its cache."""
    system = models.BinaryField(null=True)
    tools = models.BinaryField(null=True)
    messages = models.BinaryField(default=b"")
    """Numbers of contents, packed; None if the request has no such part."""
    parts_hash = models.BinaryField(null=True, max_length=16)
    """BLAKE2b of these three; None of one that was stored before there were hashes."""
    answer = models.BigIntegerField(null=True)
    """The content that is the answer, as one message."""
    request_bytes = models.IntegerField(default=0)
    answer_bytes = models.IntegerField(default=0)

    def __str__(self) -> str:
        return f"capture {self.pk}"

    @property
    def written(self) -> int | None:
        return None if self.input is None else (self.cache_write_5m or 0) + (self.cache_write_1h or 0)
