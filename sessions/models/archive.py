"""The archive: every byte of every source file, in compressed blocks of a fixed raw size."""

from __future__ import annotations

from django.db import models

from sessions.models.rowid import RowIdField
from sessions.transcripts.engine.entry_ids import BLOCK_BITS


class Source(models.Model):
    """A file that we read: its identity, and how far we have read it."""

    class Kind(models.TextChoices):
        TRANSCRIPT = "transcript"
        RESULT = "result", "spilled tool output"

    class State(models.TextChoices):
        PRESENT = "present"
        VANISHED = "vanished", "no longer on disk"
        REPLACED = "replaced", "rewritten on disk; this is the earlier version"

    path = models.TextField()
    host = models.TextField(default="")
    """The machine that it lies on, where several share the database; empty for the only one."""
    kind = models.CharField(max_length=12, choices=Kind.choices)
    state = models.CharField(max_length=12, choices=State.choices, default=State.PRESENT)
    device = models.BigIntegerField(default=0)
    inode = models.BigIntegerField(default=0)
    size = models.BigIntegerField(default=0)
    """Size on disk when last looked at."""
    mtime_ns = models.BigIntegerField(default=0)
    archived = models.BigIntegerField(default=0)
    """Bytes in the archive."""
    imported = models.BigIntegerField(default=0)
    """Bytes read into entries: a last line that is still being written is archived, but not yet an entry."""
    owed = models.BooleanField(default=False)
    """Its lines are read, its bytes are not yet in the archive: until then they are read from the file. Only while a
    large import runs, or after it was killed."""
    head_hash = models.BinaryField(default=b"", max_length=16)
    tail_hash = models.BinaryField(default=b"", max_length=16)
    """Of the first and the last bytes archived (of one that is owed, imported): they tell an appended file from a
    rewritten one."""
    owner = models.ForeignKey(
        "Transcript", null=True, on_delete=models.CASCADE, related_name="spilled", db_constraint=False
    )
    """For spilled output: the transcript that refers to it."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["host", "path"], condition=~models.Q(state="replaced"), name="one_current_source_per_place"
            )
        ]
        # There are few of these, and every list leaves them out.
        indexes = [models.Index(fields=["state"], condition=models.Q(state="replaced"), name="source_replaced")]

    def __str__(self) -> str:
        return self.path


class Block(models.Model):
    """One zstd frame of a source. The id is `source << BLOCK_BITS | number`, so a byte range needs no index."""

    id = RowIdField(primary_key=True)
    data = models.BinaryField()
    content_hash = models.BinaryField(null=True, max_length=16)
    """BLAKE2b of the bytes, before they were compressed; None of one that was archived before there were hashes."""
    frame_hash = models.BinaryField(null=True, max_length=16)
    """BLAKE2b of `data`: what every read compares."""

    class Meta:
        # Blocks that still lack hashes; an up-to-date archive has none.
        indexes = [models.Index(fields=["id"], condition=models.Q(frame_hash=None), name="block_without_hash")]

    def __str__(self) -> str:
        return f"block {self.id & (1 << BLOCK_BITS) - 1} of source {self.id >> BLOCK_BITS}"
