"""When the schedule last counted the sessions of a memory directory."""

from __future__ import annotations

from django.db import models

from memory.models.directory import Directory


class DreamScan(models.Model):
    directory = models.OneToOneField(Directory, primary_key=True, on_delete=models.CASCADE, related_name="dream_scan")
    at = models.BigIntegerField()
    """Milliseconds since 1970, UTC."""

    def __str__(self) -> str:
        return f"scan of {self.pk}"
