"""Sub-agents whose own request is known and still cached: a question to them can be a fork that shares their cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sessions.agents.selectors.tree import Agent
from sessions.context.selectors.contexts import load_context, point_next
from sessions.models import Request, Transcript
from sessions.requests.selectors import ParentRequest, find_parent_request
from sessions.requests.selectors.warmth import cache_warmth


@dataclass(frozen=True, slots=True)
class AgentFork:
    parent: ParentRequest
    tokens: int
    """What its last request left in the cache."""

    @property
    def model(self) -> str:
        return self.parent.params.model


def warm_forks(agents: Sequence[Agent], now_ms: int) -> dict[str, AgentFork]:
    """By the agents' keys. An agent whose rows are in the file of its session has no request of its own there."""
    forks: dict[str, AgentFork] = {}
    for agent in agents:
        transcript = agent.transcript
        if transcript.kind != Transcript.Kind.AGENT or not cache_warmth(transcript, now_ms, agent=None).is_warm:
            continue
        parent = find_parent_request(transcript, load_context(transcript, point_next(transcript)))
        last = Request.objects.filter(transcript=transcript).order_by("-position").first()
        if isinstance(parent, ParentRequest) and last is not None:
            forks[agent.key] = AgentFork(parent, last.cache_read + last.cache_write_5m + last.cache_write_1h)
    return forks
