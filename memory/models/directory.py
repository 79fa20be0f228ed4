"""Memory directories and their files, past and present. The files on disk are the truth; rows follow them."""

from __future__ import annotations

from django.db import models

from sessions.models import Project


class MemoryDirectoryManager(models.Manager["Directory"]):
    """Leaves out the directories with notes of sessions."""

    def get_queryset(self) -> models.QuerySet[Directory]:
        return super().get_queryset().filter(holds=Directory.Holds.MEMORY)


class Directory(models.Model):
    class Holds(models.TextChoices):
        MEMORY = "memory"
        NOTES = "notes", "notes of a session"

    path = models.TextField(unique=True)
    """Links resolved; encoded by `sessions.transcripts.engine.paths`, as it may not be UTF-8."""
    host = models.TextField(default="")
    """The machine that has it, if several share the database; else empty."""
    holds = models.CharField(max_length=6, choices=Holds.choices, default=Holds.MEMORY)
    project = models.ForeignKey(Project, null=True, on_delete=models.SET_NULL, related_name="memory_directories")
    scanned_at = models.BigIntegerField(null=True)
    """When the first complete scan ended: files that appear later are new."""

    objects = MemoryDirectoryManager()
    every = models.Manager["Directory"]()

    def __str__(self) -> str:
        return self.path


class File(models.Model):
    """One file with its history. A rename changes the row; a new file under the old name is another row."""

    class State(models.TextChoices):
        PRESENT = "present"
        DELETED = "deleted"

    directory = models.ForeignKey(Directory, on_delete=models.PROTECT, related_name="files")
    name = models.TextField()
    """Relative to the directory, with `/` as separator."""
    state = models.CharField(max_length=8, choices=State.choices, default=State.PRESENT)
    current = models.ForeignKey("Version", null=True, on_delete=models.PROTECT, related_name="+")
    """The latest version; None only while it is being written."""

    # These tell without reading the file whether it has changed.
    size = models.BigIntegerField(default=0)
    mtime_ns = models.BigIntegerField(default=0)
    ctime_ns = models.BigIntegerField(default=0)
    device = models.BigIntegerField(default=0)
    inode = models.BigIntegerField(default=0)
    read_ns = models.BigIntegerField(default=0)
    """When the file was read. If it changed just before, it may change again in the same clock tick."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["directory", "name"], condition=models.Q(state="present"), name="one_present_file_per_name"
            )
        ]
        indexes = [models.Index(fields=["directory", "name"], name="file_name")]

    def __str__(self) -> str:
        return self.name
