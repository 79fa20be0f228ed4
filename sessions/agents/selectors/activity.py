"""What the agents of a session are doing, according to a model or to their last call, and the price of asking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.runs.models import Run
from inspector.runs.selectors.lists import ACTIVE
from sessions.agents.engine.activity import ANSWER_TOKENS, Question, describe_last_call, make_question
from sessions.agents.selectors.tree import Agent
from sessions.models import AgentSummary, Transcript
from sessions.secrets.engine import mask
from sessions.text.engine.words import money
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.rows import Record
from sessions.transcripts.selectors.family import Family
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage

KIND = "agent summary"
LATEST_RECORDS = 12
LOWEST_PRICE = 0.0001
"""Dollars. Lower prices are shown as below this."""


@dataclass(frozen=True, slots=True)
class Activity:
    agent: Agent
    summary: AgentSummary | None
    guess: str
    """Derived from the last call; empty if there is none."""
    question: Question

    @property
    def words(self) -> str:
        return mask(self.summary.words if self.summary is not None else self.guess)

    @property
    def entries_since(self) -> int:
        """How many entries came after the summary."""
        if self.summary is None:
            return 0
        return sum(position > self.summary.position for position in self.agent.latest(self.agent.entries))

    @property
    def is_due(self) -> bool:
        return self.summary is None or self.entries_since > 0

    @property
    def tokens(self) -> int:
        return self.question.tokens + ANSWER_TOKENS


def load_activities(session: Transcript, agents: Sequence[Agent]) -> list[Activity]:
    records = load_latest_records(session, agents)
    summaries = latest_summaries(agents)
    activities = []
    for agent in agents:
        summary = summaries.get((agent.transcript.pk, agent.start))
        previous_words = summary.words if summary is not None else ""
        question = make_question(records[agent.key], agent.description, previous=previous_words)
        activities.append(Activity(agent, summary, describe_last_call(records[agent.key]), question))
    return activities


def load_latest_records(session: Transcript, agents: Sequence[Agent]) -> dict[str, list[Record]]:
    """By the agents' keys, in file order, with a query for every 500 records and one for every 32 MB of the archive."""
    family = Family(session)
    owners = {
        agent.transcript.pk << POSITION_BITS | position: agent.key
        for agent in agents
        for position in agent.latest(LATEST_RECORDS)
    }
    records: dict[str, list[Record]] = {agent.key: [] for agent in agents}
    for row, record in family.read_records(family.rows_at(owners)):
        records[owners[row.id]].append(record)
    return records


def latest_summaries(agents: Sequence[Agent]) -> dict[tuple[int, int], AgentSummary]:
    transcripts = sorted({summary.transcript.pk for summary in agents})
    stored = AgentSummary.objects.filter(transcript__in=transcripts).order_by("position", "made_at")
    return {(summary.transcript_id, summary.start): summary for summary in stored}


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
        return f"under {money(LOWEST_PRICE)}" if self.cost < LOWEST_PRICE else money(self.cost, estimate=True)


def estimate_price(activities: Sequence[Activity], model: str) -> Price:
    """An estimate that counts the longest allowed answers."""
    sent = sum(activity.question.tokens for activity in activities)
    output_tokens = ANSWER_TOKENS * len(activities)
    return Price(model, sent + output_tokens, cost_of(model, Usage(sent, 0, 0, 0, output_tokens)))


def find_run(session: Transcript) -> Run | None:
    """The active run for this session's agents, or else the last one."""
    runs = Run.objects.filter(kind=KIND, target_url=f"/sessions/{session.public_id}/agents/").order_by("-pk")
    return runs.filter(status__in=ACTIVE).first() or runs.first()
