"""Which session wrote, read or received which memory file, from its records."""

from __future__ import annotations

from django.db import models

from sessions.models import Transcript


class Touch(models.Model):
    class Kind(models.TextChoices):
        WROTE = "wrote"
        READ = "read"
        GIVEN = "given", "was given it"

    place = models.TextField()
    """The directory as `memory.history.engine.mentions` names it: the same on every machine."""
    name = models.TextField()
    kind = models.CharField(max_length=5, choices=Kind.choices)
    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="memory_touches")
    position = models.IntegerField()
    detail = models.CharField(max_length=60)
    """The tool, or the type of the attachment."""
    at = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["transcript", "position", "place", "name", "kind"], name="one_touch_per_entry"
            )
        ]
        indexes = [models.Index(fields=["place", "name", "at"], name="touch_file")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Reached(models.Model):
    """How far a transcript was searched for touches."""

    transcript = models.OneToOneField(
        Transcript, primary_key=True, on_delete=models.CASCADE, related_name="memory_reached"
    )
    entries = models.IntegerField(default=0)
    """Number of entries at that time."""
    position = models.IntegerField(default=0)
    """Where the next search starts: the first call without a result."""

    def __str__(self) -> str:
        return f"{self.pk} up to {self.position}"
