"""What sub-agents were doing, in the words of a small model."""

from __future__ import annotations

from django.db import models

from inspector.runs.models import Run
from sessions.models.transcript import Transcript


class AgentSummary(models.Model):
    """What a sub-agent was doing at a point of its transcript, in a few words by a small model."""

    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="+")
    start = models.IntegerField(default=0)
    """Where the agent begins: several may stand in one file."""
    position = models.IntegerField()
    """Of the last record that was looked at."""
    words = models.CharField(max_length=200)
    model = models.CharField(max_length=120, default="")
    made_at = models.BigIntegerField()
    run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        app_label = "inspector"  # the name that its table has always had
        constraints = (
            models.UniqueConstraint(fields=["transcript", "start", "position"], name="one_agent_summary_per_position"),
        )

    def __str__(self) -> str:
        return self.words
