"""Entries: one narrow row per record. Content stays in the archive and is decoded when it is shown."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Coalesce

from sessions.models.rowid import RowIdField
from sessions.models.transcript import Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.marks import Fate


class Entry(models.Model):
    """The id is `transcript << POSITION_BITS | position`: a window of a timeline is a range of ids, and importing
    the same record twice cannot make two rows."""

    id = RowIdField(primary_key=True)
    offset = models.BigIntegerField()
    length = models.IntegerField()
    type = models.CharField(max_length=60)
    detail = models.CharField(max_length=200, default="")
    uuid_key = models.BigIntegerField(null=True)
    parent_key = models.BigIntegerField(null=True)
    message_key = models.BigIntegerField(null=True)
    tool_key = models.BigIntegerField(null=True)
    at = models.BigIntegerField(null=True)
    turn = models.IntegerField(default=0)
    flags = models.IntegerField(default=0)

    class Meta:
        indexes = [
            models.Index(fields=["uuid_key"], name="entry_uuid"),
            models.Index(fields=["tool_key"], condition=models.Q(tool_key__isnull=False), name="entry_tool"),
        ]

    def __str__(self) -> str:
        return f"{self.type} at {self.transcript_id}:{self.position}"

    @property
    def transcript_id(self) -> int:
        return self.id >> POSITION_BITS

    @property
    def position(self) -> int:
        return self.id & (1 << POSITION_BITS) - 1


class Mark(models.Model):
    """What became of the entries `first` to `last`."""

    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="marks")
    first = models.IntegerField()
    last = models.IntegerField()
    fate = models.CharField(max_length=12, choices=[(fate.value, fate.value) for fate in Fate])
    by = models.IntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "transcript", "first", "last", "fate", Coalesce("by", -1), name="one_mark_per_range_and_cause"
            )
        ]

    def __str__(self) -> str:
        return f"{self.first}-{self.last} {self.fate}"


class Problem(models.Model):
    """A line that could not be read as one JSON object."""

    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="problems")
    line = models.IntegerField()
    offset = models.BigIntegerField()
    length = models.BigIntegerField()
    kind = models.CharField(max_length=40)
    detail = models.TextField(default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["transcript", "offset"], name="one_problem_per_line")]

    def __str__(self) -> str:
        return f"line {self.line}: {self.kind}"


class Oddity(models.Model):
    """Something unknown in the records, with its count and the first place where it was seen."""

    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="oddities")
    what = models.CharField(max_length=20)
    """type, subtype, attachment, block or key"""
    name = models.CharField(max_length=300)
    count = models.IntegerField(default=0)
    first = models.IntegerField()
    """Position of the first entry that has it."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["transcript", "what", "name"], name="one_oddity_per_name")]

    def __str__(self) -> str:
        return f"{self.what} {self.name}"
