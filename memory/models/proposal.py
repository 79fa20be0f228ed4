"""Proposals: changes that a dream, a tidy or an extraction would make to a memory directory, until a person decides."""

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
    """What the model or the rules say about it."""
    base = models.JSONField(default=dict)
    """Digests of all files in the directory when the copy was made, by name."""
    facts = models.JSONField(default=dict)
    """The counts of kept, merged, reworded, lost and new facts, and the text of the lost ones: see
    `memory.proposals.engine.facts`. For the whole proposal; after the decision, for what was accepted."""
    contradictions = models.JSONField(default=list)
    """A sentence for each contradiction that was resolved."""
    batch = models.ForeignKey(Batch, null=True, on_delete=models.SET_NULL, related_name="proposals")
    """The batch that wrote what was accepted."""
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
    """The new name; for a deleted file, its name."""
    former_name = models.TextField(default="")
    """Set for a renamed file."""
    before = models.ForeignKey(Blob, null=True, on_delete=models.PROTECT, related_name="+")
    after = models.ForeignKey(Blob, null=True, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(default="")
    sources = models.JSONField(default=list)
    """Pairs of transcript key and entry uuid."""
    decision = models.CharField(max_length=8, choices=Decision.choices, default=Decision.OPEN)
    hunks = models.JSONField(default=list)
    """The numbers of the accepted hunks, if only some were accepted."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["proposal", "name"], name="one_proposed_file_per_name")]

    def __str__(self) -> str:
        return f"{self.action} {self.name}"
