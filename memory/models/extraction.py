"""How far a session was searched for memories, and the request that waits for its turn."""

from __future__ import annotations

from django.db import models

from sessions.models import Transcript


class Extraction(models.Model):
    transcript = models.OneToOneField(
        Transcript, primary_key=True, on_delete=models.CASCADE, related_name="memory_extraction"
    )
    position = models.IntegerField(default=0)
    """The entry at which the next extraction starts."""
    why = models.TextField(default="")
    """The last result, in a sentence."""
    at = models.BigIntegerField(null=True)
    """Time of the last result: milliseconds since 1970, UTC."""
    waiting = models.JSONField(null=True)
    """The latest request that came while an extraction was active; None if none waits."""

    def __str__(self) -> str:
        return f"{self.pk} up to {self.position}"
