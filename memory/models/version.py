"""Versions: the contents that a file has had, each stored once, and the batch that each belongs to."""

from __future__ import annotations

from django.db import models

from memory.files.engine.newlines import NewlineStyle
from memory.models.directory import Directory, File
from sessions.models import Transcript


class Cause(models.TextChoices):
    EDIT = "edit", "edited here"
    RUN = "run", "written by a run"
    OUTSIDE = "outside", "changed outside"
    RESTORE = "restore", "restored"
    UNDO = "undo", "undone"
    FIRST = "first", "first seen"


class Batch(models.Model):
    """The changes of one action to any number of files: applied as a whole and undone as a whole."""

    class State(models.TextChoices):
        BEGUN = "begun", "not known to be finished"
        DONE = "done"
        FAILED = "failed", "put back"

    cause = models.CharField(max_length=8, choices=Cause.choices)
    state = models.CharField(max_length=8, choices=State.choices, default=State.DONE)
    message = models.TextField(default="")
    run_id = models.BigIntegerField(null=True, db_index=True)
    """The run that made it; None if none did."""
    undoes = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="undone_by")
    at = models.BigIntegerField()
    """Milliseconds since 1970, UTC."""
    plan = models.JSONField(default=dict)
    """While the batch is incomplete: what is to happen to each file, so that it can be completed or reverted."""
    error = models.TextField(default="")

    class Meta:
        indexes = [models.Index(fields=["state"], condition=models.Q(state="begun"), name="batch_begun")]

    def __str__(self) -> str:
        return f"batch {self.pk}"


class Blob(models.Model):
    """A content, stored once, however many files have it."""

    digest = models.CharField(max_length=64, unique=True)
    """SHA-256, in hexadecimal digits."""
    size = models.BigIntegerField()
    data = models.BinaryField()
    """A zstd frame."""

    def __str__(self) -> str:
        return self.digest


class Version(models.Model):
    file = models.ForeignKey(File, on_delete=models.PROTECT, related_name="versions")
    number = models.IntegerField()
    """Counted from 1, in the order in which Lucid saw them."""
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="versions")
    parent = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="children")
    """The previous version; None for the first."""
    directory = models.ForeignKey(Directory, on_delete=models.PROTECT, related_name="+")
    name = models.TextField()
    """The file name at that time: a rename is a version too."""
    blob = models.ForeignKey(Blob, null=True, on_delete=models.PROTECT, related_name="versions")
    """None: the file was deleted."""
    mode = models.IntegerField(default=0o644)
    newlines = models.CharField(
        max_length=5, choices=[(style.value, style.value) for style in NewlineStyle], default=NewlineStyle.NONE
    )
    mtime_ns = models.BigIntegerField(default=0)
    cause = models.CharField(max_length=8, choices=Cause.choices)
    at = models.BigIntegerField()
    """When it was written or noticed: milliseconds since 1970, UTC."""
    restored = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    """The version that this one restores."""
    transcript = models.ForeignKey(Transcript, null=True, on_delete=models.SET_NULL, related_name="memory_versions")
    position = models.IntegerField(null=True)
    """The entry of that session that wrote it or is its source."""
    evidence = models.CharField(max_length=8, default="")
    """How the entry was found: by `content` or only by `time`; empty if the writer recorded it."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["file", "number"], name="one_version_per_number")]
        indexes = [models.Index(fields=["directory", "batch"], name="version_when")]

    def __str__(self) -> str:
        return f"{self.name} {self.number}"
