"""Versions: what a file held at any time, once for each content, and the batch of changes that each belongs to."""

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
    """What one action changed, in however many files: made as a whole, and undone as a whole."""

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
    """While it is begun: what is to become of which file, for whoever has to finish or to put back."""
    error = models.TextField(default="")

    class Meta:
        indexes = [models.Index(fields=["state"], condition=models.Q(state="begun"), name="batch_begun")]

    def __str__(self) -> str:
        return f"batch {self.pk}"


class Blob(models.Model):
    """A content, stored once, whoever has it."""

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
    """From 1, in the order in which we saw them."""
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="versions")
    parent = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="children")
    """The version before; None for the first one."""
    directory = models.ForeignKey(Directory, on_delete=models.PROTECT, related_name="+")
    name = models.TextField()
    """Where the file was: a rename is a version too."""
    blob = models.ForeignKey(Blob, null=True, on_delete=models.PROTECT, related_name="versions")
    """None: it was deleted."""
    mode = models.IntegerField(default=0o644)
    newlines = models.CharField(
        max_length=5, choices=[(style.value, style.value) for style in NewlineStyle], default=NewlineStyle.NONE
    )
    mtime_ns = models.BigIntegerField(default=0)
    cause = models.CharField(max_length=8, choices=Cause.choices)
    at = models.BigIntegerField()
    """When it was written here or noticed: milliseconds since 1970, UTC."""
    restored = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    """The version that was brought back."""
    transcript = models.ForeignKey(Transcript, null=True, on_delete=models.SET_NULL, related_name="memory_versions")
    position = models.IntegerField(null=True)
    """The entry of that session that wrote it, or that it was drawn from."""
    evidence = models.CharField(max_length=8, default="")
    """How the entry is known: `content`, or only `time`; empty if the writer said so itself."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["file", "number"], name="one_version_per_number")]
        indexes = [models.Index(fields=["directory", "batch"], name="version_when")]

    def __str__(self) -> str:
        return f"{self.name} {self.number}"
