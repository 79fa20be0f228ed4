"""The Notes tab of a session: its notes, their history, and the memories found in the session."""

from __future__ import annotations

from inspector.runs.models import Run
from inspector.runs.selectors.lists import DETAIL_FIELDS, RunCard, run_cards
from memory.models import Proposal
from sessions.models import Transcript
from sessions.usage.engine.price_forecast import PriceForecast, Weight, forecast_price

NOTES, EXTRACTION = "notes", "extraction"
ANSWER = 2_000
"""Tokens that an answer of such an agent rarely exceeds: a few edits of some hundred words."""
MOST_RUNS = 5
MOST_PROPOSALS = 10


def agent_price(model: str, sent: int, turns: int) -> PriceForecast:
    """An agent sends everything again with each turn: `least` is for the first request, `most` for as many as allowed.
    At the full price, because nobody can tell beforehand how much will be cached."""
    weights = [Weight(sent + number * ANSWER, ANSWER) for number in range(turns)]
    whole, first = forecast_price(model, weights), forecast_price(model, weights[:1])
    return PriceForecast(turns, sent, turns * ANSWER, first.least, whole.most)


def unfinished_runs(transcript: Transcript, now: int) -> list[RunCard]:
    """Runs that are active or did not complete; of the latter only those after the last completed one."""
    runs = (
        Run.objects.filter(kind__in=(NOTES, EXTRACTION), target=transcript.public_id)
        .defer(*DETAIL_FIELDS)
        .order_by("-pk")
    )
    unfinished, completed_kinds = [], set[str]()
    for run in runs[:20]:
        if run.status == Run.Status.COMPLETED:
            completed_kinds.add(run.kind)
        elif run.kind not in completed_kinds or run.status in (Run.Status.QUEUED, Run.Status.RUNNING):
            unfinished.append(run)
    return run_cards(unfinished[:MOST_RUNS], now)


def proposals_of_session(transcript: Transcript) -> list[Proposal]:
    """The proposals of extractions of this session, the latest first."""
    runs = Run.objects.filter(kind=EXTRACTION, target=transcript.public_id).order_by("-pk").values_list("pk", flat=True)
    rows = Proposal.objects.filter(kind=Proposal.Kind.EXTRACTION, run_id__in=list(runs[:200]))
    return list(rows.defer("base", "facts").order_by("-pk")[:MOST_PROPOSALS])
