"""Compactions that Lucid made: what a session would be like after one. The session itself is never changed."""

from __future__ import annotations

from django.db import models

from sessions.models import Transcript


class Compaction(models.Model):
    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="compacted")
    kind = models.CharField(max_length=20)
    parameters = models.JSONField(default=dict)
    """Pivot, ids, instructions and settings, as they were asked for."""
    run_id = models.BigIntegerField(null=True, db_index=True)
    """The run that made it; None if it was made without one."""
    position = models.IntegerField()
    """How many entries the session had: what came later is not in it."""
    link = models.BigIntegerField(null=True)
    """The key of the entry that the context ended with."""
    model_name = models.CharField(max_length=120, default="")
    """The model that wrote the summary, if one did."""
    mechanical = models.BooleanField(default=False)
    done = models.BooleanField(default=False)
    """Whether anything changed; if not, the report says why."""
    messages_before = models.IntegerField(default=0)
    messages_after = models.IntegerField(default=0)
    tokens_before = models.BigIntegerField(default=0)
    """Of its messages only, by the client's own estimate, which decides what it does; so is the next."""
    tokens_after = models.BigIntegerField(default=0)
    sizes = models.JSONField(default=dict)
    """The sizes of both prompts as they were measured: `compaction/kinds/engine/sizes.py`. Empty until they are."""
    summary = models.TextField(default="")
    report = models.JSONField(default=dict)
    packed = models.BinaryField(default=b"")
    """The context after it, and what else an export needs: see `compaction/kinds/engine/stored_context.py`."""
    packed_hash = models.BinaryField(null=True, max_length=16)
    """BLAKE2b of `packed`; None of one that was made before there were hashes."""
    session_id = models.CharField(max_length=36, default="")
    """Of the session that an export makes of it."""
    created_at = models.BigIntegerField()
    """Milliseconds since 1970, UTC."""

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["run_id"], condition=models.Q(run_id__isnull=False), name="one_compaction_per_run"
            ),
        )
        indexes = (models.Index(fields=["transcript", "-created_at"], name="compaction_latest"),)

    def __str__(self) -> str:
        return f"{self.kind} compaction {self.pk}"

    @property
    def number(self) -> int:
        """Its number in addresses and on the command line: that of its run, if a run made it."""
        return self.run_id or self.pk


class Export(models.Model):
    """A session that was made from a compaction. The file belongs to the agent: it may grow, move or vanish."""

    compaction = models.ForeignKey(Compaction, on_delete=models.CASCADE, related_name="exports")
    session_id = models.CharField(max_length=36, db_index=True)
    path = models.TextField()
    """Where it was written; see `sessions/transcripts/engine/paths.py` for names that are no text."""
    created_at = models.BigIntegerField()
    """Milliseconds since 1970, UTC."""

    def __str__(self) -> str:
        return self.session_id
