"""What the parts of a conversation weigh, worked out from the API's counts of its requests."""

from __future__ import annotations

from django.db import models

from sessions.models.transcript import Transcript


class Weighing(models.Model):
    """The weights of one transcript, up to an entry. It is made anew whenever it is missing."""

    transcript = models.OneToOneField(Transcript, on_delete=models.CASCADE, primary_key=True)
    entries = models.IntegerField()
    """How many entries of the transcript it has seen."""
    rules = models.IntegerField()
    packed = models.BinaryField()
    learned = models.JSONField(default=dict)
    """By model and sort of content: tokens as they were counted, and as the rates of public sessions have them."""

    def __str__(self) -> str:
        return str(self.transcript_id)
