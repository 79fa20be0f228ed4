"""Where the prompt cache of a session broke. Results are stored, because finding them takes two whole requests."""

from __future__ import annotations

from django.db import models

from sessions.models import Transcript


class CacheScan(models.Model):
    """How far the requests of a session and its sub-agents were examined, and what they add up to."""

    transcript = models.OneToOneField(Transcript, on_delete=models.CASCADE, related_name="cache_scan")
    """The session."""
    entries = models.BigIntegerField(default=0)
    """How many records its files had then, together."""
    requests = models.IntegerField(default=0)
    captures = models.BigIntegerField(default=0)
    """The newest capture of one of them."""
    rules = models.IntegerField(default=0)
    """The version of the rules that examined it."""
    totals = models.JSONField(default=dict)
    advice = models.JSONField(default=dict)
    dismissed = models.JSONField(default=dict)
    """Requests that looked like a break and are none: transcript and message key -> a digest of the evidence."""
    made_at = models.BigIntegerField()
    """Milliseconds since 1970, UTC."""

    def __str__(self) -> str:
        return f"cache of transcript {self.transcript_id}"


class CacheBreak(models.Model):
    """A request that read far less from the cache than the one before it."""

    session = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="cache_broken")
    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="+")
    """The file that holds the request: that of the session, or of one of its sub-agents."""
    agent = models.CharField(max_length=200, default="")
    """The sub-agent that asked; empty for the main thread."""
    message_id = models.CharField(max_length=200)
    message_key = models.BigIntegerField()
    position = models.IntegerField()
    """Of the first record of the answer."""
    at = models.BigIntegerField(null=True)
    """When the request was sent, as far as is known. Milliseconds since 1970, UTC."""
    model = models.CharField(max_length=120, default="")
    previous_message_id = models.CharField(max_length=200)
    previous_position = models.IntegerField()
    gap = models.BigIntegerField(null=True)
    """Milliseconds between the two requests."""
    previous_read = models.BigIntegerField(default=0)
    read = models.BigIntegerField(default=0)
    written = models.BigIntegerField(default=0)
    fresh = models.BigIntegerField(default=0)
    """Tokens that were neither read from the cache nor written to it."""
    cause = models.CharField(max_length=40)
    """The first of `causes`, so that reports can add up by it."""
    causes = models.JSONField(default=list)
    """name, confidence (high, medium or low), sentence, and the positions of the records that prove it; the likeliest
    first."""
    also = models.JSONField(default=list)
    """What else changed in between, and does not explain the break: name, sentence, positions."""
    expected = models.BooleanField(default=False)
    expected_why = models.TextField(default="")
    wasted = models.BigIntegerField(default=0)
    """Tokens that were sent anew although they had been in the cache."""
    cost = models.FloatField(null=True)
    """Of what was wasted, in dollars beyond the price of reading it; None if the model has no known price."""
    divergence = models.JSONField(default=dict)
    """Where the two requests first differ: part, path, byte offset, sizes, positions. Empty if that is not known."""
    server = models.JSONField(default=dict)
    """The API's own diagnosis, where the answer has one."""
    agrees = models.BooleanField(null=True)
    """Whether it agrees with our causes; None if there is nothing to compare."""
    exactness = models.CharField(max_length=16, default="")
    """How the two requests are known: recorded, reconstructed, or usage if only their counts were."""
    missing = models.JSONField(default=list)
    """Sentences about what is not recorded and would have explained more."""
    advice = models.TextField(default="")
    digest = models.CharField(max_length=32, default="")
    """Of the evidence, so that what has not changed is not examined again."""
    made_at = models.BigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["transcript", "message_key"], name="one_cache_break_per_request"),
        )
        indexes = (
            models.Index(fields=["session", "at"], name="cache_break_session"),
            models.Index(fields=["expected", "at"], name="cache_break_latest"),
        )

    def __str__(self) -> str:
        return f"{self.cause} at {self.message_id}"
