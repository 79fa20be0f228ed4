"""Messages that stay word for word in every compaction."""

from __future__ import annotations

from django.db import models

from sessions.models import Transcript


class Pin(models.Model):
    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="pins")
    uuid = models.CharField(max_length=100)
    """Of the message."""
    created_at = models.BigIntegerField()
    """Milliseconds since 1970, UTC."""

    class Meta:
        constraints = (models.UniqueConstraint(fields=["transcript", "uuid"], name="one_pin_per_message"),)

    def __str__(self) -> str:
        return f"pin of {self.uuid}"
