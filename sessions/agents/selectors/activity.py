"""What the agents of a session are doing: what a model said last, what their last call says, and what asking costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.runs.models import Run
from inspector.runs.selectors.lists import ACTIVE
from sessions.agents.engine.activity import (
    ANSWER_TOKENS,
    Question,
    mechanical,
    question,
)
from sessions.agents.selectors.latest import latest_of
from sessions.agents.selectors.tree import Agent
from sessions.models import AgentSummary, Transcript
from sessions.secrets.engine import mask
from sessions.text.engine.words import money
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage

KIND = "agent summary"
LEAST = 0.0001
"""Dollars; less than that is not told apart."""


@dataclass(frozen=True, slots=True)
class Doing:
    agent: Agent
    summary: AgentSummary | None
    guess: str
    """The last call in words, without a model. Empty if it called nothing."""
    question: Question

    @property
    def words(self) -> str:
        return mask(self.summary.words if self.summary is not None else self.guess)

    @property
    def since(self) -> int:
        """Entries that came after the summary."""
        if self.summary is None:
            return 0
        return sum(position > self.summary.position for position in self.agent.latest(self.agent.entries))

    @property
    def due(self) -> bool:
        return self.summary is None or self.since > 0

    @property
    def tokens(self) -> int:
        return self.question.tokens + ANSWER_TOKENS


def doing_of(session: Transcript, agents: Sequence[Agent]) -> list[Doing]:
    records = latest_of(session, agents)
    known = latest_summaries(agents)
    found = []
    for one in agents:
        summary = known.get((one.transcript.pk, one.start))
        before = summary.words if summary is not None else ""
        asked = question(records[one.key], one.description, before=before)
        found.append(Doing(one, summary, mechanical(records[one.key]), asked))
    return found


def latest_summaries(agents: Sequence[Agent]) -> dict[tuple[int, int], AgentSummary]:
    wanted = sorted({one.transcript.pk for one in agents})
    stored = AgentSummary.objects.filter(transcript__in=wanted).order_by("position", "made_at")
    return {(one.transcript_id, one.start): one for one in stored}


@dataclass(frozen=True, slots=True)
class Price:
    model: str
    tokens: int
    cost: float | None
    """Dollars; None if no price is known."""

    @property
    def words(self) -> str:
        if self.cost is None:
            return "price unknown"
        return f"under {money(LEAST)}" if self.cost < LEAST else money(self.cost, estimate=True)


def price_of(doings: Sequence[Doing], model: str) -> Price:
    """An estimate: what is sent, and as many tokens of an answer as are allowed."""
    sent = sum(one.question.tokens for one in doings)
    answered = ANSWER_TOKENS * len(doings)
    return Price(model, sent + answered, cost_of(model, Usage(sent, 0, 0, 0, answered)))


def run_of(session: Transcript) -> Run | None:
    """The run that is asking about this session's agents now; or else the last one."""
    runs = Run.objects.filter(kind=KIND, target_url=f"/sessions/{session.public_id}/agents/").order_by("-pk")
    return runs.filter(status__in=ACTIVE).first() or runs.first()
