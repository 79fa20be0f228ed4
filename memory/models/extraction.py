"""How far a session was looked through for what is worth remembering, and the request that waits for its turn."""

from __future__ import annotations

from django.db import models

from sessions.models import Transcript


class Extraction(models.Model):
    transcript = models.OneToOneField(
        Transcript, primary_key=True, on_delete=models.CASCADE, related_name="memory_extraction"
    )
    position = models.IntegerField(default=0)
    """The entry at which the next one begins."""
    why = models.TextField(default="")
    """What happened the last time, in a sentence."""
    at = models.BigIntegerField(null=True)
    """When that was: milliseconds since 1970, UTC."""
    waiting = models.JSONField(null=True)
    """What was asked for last while one was under way; None if nothing waits."""

    def __str__(self) -> str:
        return f"{self.pk} up to {self.position}"
