"""Runs: every background action with its progress and outcome; and what the processes that work on them share."""

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
    """What it works on, for people: a path, the title of a session."""
    target_url = models.TextField(default="")
    """The page that shows the target; empty if there is none."""
    parameters = models.JSONField(default=dict)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED, db_index=True)
    single_key = models.CharField(max_length=64, default="")
    """Of runs with the same key, one may be under way; empty if that does not matter. A hash, because an index of
    PostgreSQL cannot hold a long path."""
    attempt = models.PositiveSmallIntegerField(default=1)
    """One more than that of the run that this one repeats."""
    retry_of = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="retries")

    # How far it is.
    phase = models.CharField(max_length=80, default="")
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(null=True)
    """None if it is not known beforehand."""
    unit = models.CharField(max_length=20, default="")
    """What `done` and `total` count: bytes, files, messages."""
    progress = models.JSONField(default=dict)
    """Further counts by name; one called `files_total` belongs to `files`."""
    turns = models.JSONField(default=list)
    """The last of them: number, time, text, tools with counts, files."""
    turn_count = models.PositiveIntegerField(default=0)

    # What it cost.
    model = models.CharField(max_length=80, default="")
    input_tokens = models.BigIntegerField(default=0)
    """Neither read from the cache nor written to it."""
    cache_read_tokens = models.BigIntegerField(default=0)
    cache_write_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cost = models.FloatField(null=True)
    """In dollars; None if no model with a known price was asked."""

    # What came of it.
    summary = models.TextField(default="")
    """One sentence, from the result."""
    result = models.JSONField(default=dict)
    error = models.TextField(default="")
    """A sentence for people, with what to do next. A completed run has one if it found something bad."""
    reason = models.TextField(default="")
    """The technical reason."""

    # Milliseconds since 1970, UTC.
    created_at = models.BigIntegerField()
    queued_at = models.BigIntegerField(null=True)
    """When its message was last put on the queue; None if that failed or was not needed."""
    started_at = models.BigIntegerField(null=True)
    phase_at = models.BigIntegerField(null=True)
    """When `done` began to count from zero."""
    finished_at = models.BigIntegerField(null=True)
    heartbeat_at = models.BigIntegerField(null=True)
    """Its lease: changes every few seconds while a process works on it. Others look only for the change, so that clocks
    need not agree."""
    kill_requested_at = models.BigIntegerField(null=True)
    worker = models.CharField(max_length=40, default="")
    """The process that has claimed it, as inspector.runs.services.presence names it."""

    class Meta:
        indexes = (models.Index(fields=["kind", "-created_at"], name="run_latest"),)
        constraints = (
            models.UniqueConstraint(
                fields=["single_key"],
                condition=models.Q(status__in=["queued", "running"]) & ~models.Q(single_key=""),
                name="one_single_run_under_way",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class Worker(models.Model):
    """A process that works on runs, where hosts share a database. See inspector.runs.services.presence."""

    name = models.CharField(max_length=40, primary_key=True)
    host = models.TextField(default="")
    pid = models.IntegerField()
    role = models.CharField(max_length=12)
    started_at = models.BigIntegerField()
    seen_at = models.BigIntegerField()
    """Milliseconds by the clock of the database, which all hosts have in common."""

    def __str__(self) -> str:
        return self.name


class Moment(models.Model):
    """When a duty of the schedule was last done."""

    name = models.CharField(max_length=40, primary_key=True)
    at = models.BigIntegerField()
    """Milliseconds by the clock of the database."""

    def __str__(self) -> str:
        return self.name
