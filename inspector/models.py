"""Runs: every background action with its phase and progress, so that a page can show what happens and happened."""

from __future__ import annotations

from django.db import models


class Run(models.Model):
    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        COMPLETED = "completed"
        FAILED = "failed"
        KILLED = "killed"

    kind = models.CharField(max_length=40)
    target = models.TextField(default="")
    """What it works on, in words that a person can read: a path, a session id."""
    parameters = models.JSONField(default=dict)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED, db_index=True)
    phase = models.CharField(max_length=80, default="")
    progress = models.JSONField(default=dict)
    """An import: files, files_total, bytes, bytes_total and entries."""
    result = models.JSONField(default=dict)
    error = models.TextField(default="")
    created_at = models.BigIntegerField()
    started_at = models.BigIntegerField(null=True)
    finished_at = models.BigIntegerField(null=True)
    heartbeat_at = models.BigIntegerField(null=True)
    """Milliseconds since 1970, UTC, all four. A running run without a recent heartbeat has lost its worker."""

    class Meta:
        indexes = (models.Index(fields=["kind", "-created_at"], name="run_latest"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
