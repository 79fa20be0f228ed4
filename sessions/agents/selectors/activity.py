"""What the agents of a session are doing, according to a model or to their last call, and the price of asking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.runs.models import Run
from inspector.runs.selectors.lists import ACTIVE
from sessions.agents.engine.activity import ANSWER_TOKENS, Question, describe_last_call, fork_question, make_question
from sessions.agents.selectors.tree import Agent
from sessions.context.selectors.contexts import load_context, point_next
from sessions.models import AgentSummary, Request, Transcript
from sessions.requests.selectors import ParentRequest, find_parent_request
from sessions.requests.selectors.warmth import cache_warmth
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
    fork: AgentFork | None = None
    """Its own request, where it is known and still cached: then it is asked as a fork of that."""

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


def load_activities(session: Transcript, agents: Sequence[Agent], *, forks_at: int | None = None) -> list[Activity]:
    """`forks_at`: the time, if agents may be asked as forks."""
    forks = {} if forks_at is None else warm_forks(agents, forks_at)
    records = load_latest_records(session, agents)
    summaries = latest_summaries(agents)
    activities = []
    for agent in agents:
        summary = summaries.get((agent.transcript.pk, agent.start))
        previous_words = summary.words if summary is not None else ""
        question = make_question(records[agent.key], agent.description, previous=previous_words)
        guess = describe_last_call(records[agent.key])
        activities.append(Activity(agent, summary, guess, question, forks.get(agent.key)))
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
    forks: int = 0
    """How many are asked as forks of their own agent, with its model."""
    cached: int = 0
    """Of the tokens, what those can read from the cache."""

    @property
    def words(self) -> str:
        if self.cost is None:
            return "price unknown"
        return f"under {money(LOWEST_PRICE)}" if self.cost < LOWEST_PRICE else money(self.cost, estimate=True)


def estimate_price(activities: Sequence[Activity], model: str) -> Price:
    """An estimate that counts the longest allowed answers."""
    tokens, cached, costs = 0, 0, list[float | None]()
    for activity in activities:
        model_asked, usage = _weigh(activity, model)
        tokens, cached = tokens + usage.total, cached + usage.cache_read
        costs.append(cost_of(model_asked, usage))
    known = [cost for cost in costs if cost is not None]
    cost = sum(known) if len(known) == len(costs) else None
    return Price(model, tokens, cost, sum(activity.fork is not None for activity in activities), cached)


def _weigh(activity: Activity, model: str) -> tuple[str, Usage]:
    if activity.fork is None:
        return model, Usage(activity.question.tokens, 0, 0, 0, ANSWER_TOKENS)
    own = Question("", fork_question(activity.summary.words if activity.summary is not None else "")).tokens
    return activity.fork.model, Usage(own, activity.fork.tokens, 0, 0, ANSWER_TOKENS)


def find_run(session: Transcript) -> Run | None:
    """The active run for this session's agents, or else the last one."""
    runs = Run.objects.filter(kind=KIND, target_url=f"/sessions/{session.public_id}/agents/").order_by("-pk")
    return runs.filter(status__in=ACTIVE).first() or runs.first()


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
