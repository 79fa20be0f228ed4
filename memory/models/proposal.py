"""Proposals: what a dream, a tidy or an extraction would make of a memory directory, until somebody decides."""

from __future__ import annotations

from django.db import models

from memory.models.directory import Directory
from memory.models.version import Batch, Blob


class Proposal(models.Model):
    class Kind(models.TextChoices):
        DREAM = "dream", "Dream"
        TIDY = "tidy", "Tidy"
        EXTRACTION = "extraction", "Extraction"

    class Status(models.TextChoices):
        OPEN = "open", "waits for a decision"
        ACCEPTED = "accepted"
        PARTLY = "partly", "partly accepted"
        REJECTED = "rejected"

    directory = models.ForeignKey(Directory, on_delete=models.PROTECT, related_name="proposals")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    run_id = models.BigIntegerField(null=True, db_index=True)
    """The run that made it; None if none did."""
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.OPEN)
    message = models.TextField(default="")
    """What its maker says of it."""
    base = models.JSONField(default=dict)
    """Digests by name, of everything that was in the directory when the copy was made."""
    facts = models.JSONField(default=dict)
    """How many are kept, merged, reworded, lost and new, and the lost ones word for word: see
    `memory.proposals.engine.facts`. Of all that is proposed; once something was accepted, of that."""
    contradictions = models.JSONField(default=list)
    """A sentence for each that its maker resolved."""
    batch = models.ForeignKey(Batch, null=True, on_delete=models.SET_NULL, related_name="proposals")
    """What was made of it."""
    at = models.BigIntegerField()
    """Milliseconds since 1970, UTC."""
    decided_at = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run_id", "directory"],
                condition=models.Q(run_id__isnull=False),
                name="one_proposal_per_run_and_directory",
            )
        ]
        indexes = [models.Index(fields=["directory", "at"], name="proposal_when")]

    def __str__(self) -> str:
        return f"proposal {self.pk}"


class ProposedFile(models.Model):
    class Action(models.TextChoices):
        CREATED = "created"
        UPDATED = "updated"
        DELETED = "deleted"
        RENAMED = "renamed"

    class Decision(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        PARTLY = "partly", "partly accepted"
        REJECTED = "rejected", "left as it was"

    proposal = models.ForeignKey(Proposal, on_delete=models.CASCADE, related_name="files")
    action = models.CharField(max_length=7, choices=Action.choices)
    name = models.TextField()
    """What it is to be called; of a deleted file, what it was called."""
    former_name = models.TextField(default="")
    """Of a renamed file."""
    before = models.ForeignKey(Blob, null=True, on_delete=models.PROTECT, related_name="+")
    after = models.ForeignKey(Blob, null=True, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(default="")
    sources = models.JSONField(default=list)
    """Pairs of a transcript's key and an entry's uuid."""
    decision = models.CharField(max_length=8, choices=Decision.choices, default=Decision.OPEN)
    hunks = models.JSONField(default=list)
    """The numbers of those that were accepted, if only some were."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["proposal", "name"], name="one_proposed_file_per_name")]

    def __str__(self) -> str:
        return f"{self.action} {self.name}"
