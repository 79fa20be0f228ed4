"""The requests of a session, and what its sub-agents spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from sessions.models import Request, Transcript

SPEND = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "cost", "unpriced")


def requests_of(transcript: Transcript) -> QuerySet[Request]:
    """Of the session and its sub-agents, in order of time. A request that a compaction agent's file repeats is
    listed once, where it was made."""
    family = Q(transcript=transcript) | Q(transcript__parent=transcript, owned=True)
    return Request.objects.filter(family).order_by("at", "transcript_id", "position")


@dataclass(frozen=True, slots=True)
class AgentSpend:
    agents: int
    tokens: int
    cost: float
    unpriced: int


def agent_spend(agents: Sequence[Transcript]) -> AgentSpend:
    """The spending of these agents together. They must come with the columns of `SPEND`."""
    return AgentSpend(
        len(agents),
        sum(agent.tokens for agent in agents),
        sum(agent.cost for agent in agents),
        sum(agent.unpriced for agent in agents),
    )
