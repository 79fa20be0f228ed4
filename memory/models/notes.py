"""Updates of session notes by Lucid. The text itself is a version of a file like any other."""

from __future__ import annotations

from django.db import models

from memory.models.version import Version
from sessions.models import Transcript


class NotesUpdate(models.Model):
    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="notes_updates")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="notes_updates")
    run_id = models.BigIntegerField(null=True)
    position = models.IntegerField()
    """The last entry that was read."""
    last_summarized = models.CharField(max_length=100, default="")
    """The uuid of the last message that the notes cover: see `memory.notes.engine.cursor`."""
    tokens = models.IntegerField()
    """Size of the context at that time."""
    model_name = models.CharField(max_length=120)
    """The model, or `mechanical`."""
    repairs = models.JSONField(default=list)
    """A sentence for each heading or line of guidance that was restored."""
    at = models.BigIntegerField()
    """Milliseconds since 1970, UTC."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["transcript", "run_id"],
                condition=models.Q(run_id__isnull=False),
                name="one_notes_update_per_run",
            )
        ]
        indexes = [models.Index(fields=["transcript", "at"], name="notes_when")]

    def __str__(self) -> str:
        return f"notes of {self.transcript_id} at {self.position}"
