"""A dream: an agent that reads memory and transcripts and changes a copy of the memory, in four phases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from inspector.agents.cancel import CancelToken
from inspector.agents.choosing import choose_model
from inspector.agents.loop import (
    AgentLimits,
    AgentOutcome,
    AgentProgress,
    Ended,
    ToolStarted,
    Turn,
    run_agent,
)
from inspector.agents.model import Ask
from inspector.agents.tools import (
    Readable,
    Toolbox,
    Writable,
    reading_tools,
    writing_tools,
)
from inspector.agents.usage import Usage
from inspector.budget.billing import run_bill
from inspector.budget.services import budget_hold
from inspector.runs.services import ActiveRun, RunError
from memory.dreams.engine.asking import (
    SYSTEM,
    Report,
    prompt,
    report_of,
)
from memory.dreams.engine.lock import Lock
from memory.dreams.selectors.gates import sessions_since
from memory.models import Directory
from memory.proposals.selectors.proposals import Source
from memory.proposals.services.proposals import Why
from sessions.model_requests.within_budget import BudgetedModel
from sessions.models import Entry, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.keys import key_of

TURNS = 40
TOKENS = 1_000_000
"""Of all requests together: it begins no further one after that."""
MOST_SESSIONS = 30
"""Transcripts that are named to the model."""
CHANGING = frozenset({"Edit", "Write"})
NO_MODEL = "A dream needs a model that can use tools: set ANTHROPIC_API_KEY and start Lucid again. Tidy needs none."
CUT_OFF = {
    Ended.TURN_LIMIT: f"It had used its {TURNS} turns; what it had done by then is proposed.",
    Ended.TOKEN_LIMIT: f"It had used its {TOKENS:,} tokens; what it had done by then is proposed.",
    Ended.OUTPUT_LIMIT: "Its last answer was cut off by its limit; what it had done by then is proposed.",
}


@dataclass(frozen=True, slots=True)
class Dreamt:
    report: Report
    cut_off: str
    """Why it ended before it was done; empty if it did not."""
    outcome: AgentOutcome


def dream(running: ActiveRun, directory: Directory, before: Lock, copy: Path, model: str) -> Dreamt:
    """`before`: the lock as it was, which tells since when sessions count."""
    choice = choose_model(settings.MODELS)
    if choice.model is None or choice.kind != "anthropic":
        raise RunError(NO_MODEL, choice.why)
    budget_hold()
    sessions = sessions_since(directory, before)
    # Only where transcripts are: a directory that lies elsewhere has other people's files beside it.
    transcripts = sorted({one.path.parent for one in sessions_since(directory, Lock(None, None))})
    cancel = CancelToken()
    toolbox = Toolbox((*reading_tools(Readable((copy, *transcripts))), *writing_tools(Writable(copy))))
    asked = prompt(
        copy=str(copy),
        transcripts=[str(folder) for folder in transcripts],
        today=f"{datetime.now(UTC):%Y-%m-%d}",
        since=_moment(before),
        sessions=[f"{one.path} ({one.size:,} bytes)" for one in sessions[:MOST_SESSIONS]],
    )
    told = _Told(running, model, copy)
    running.begin_phase("starting", unit="turns")
    with running.close_on_stop(cancel.cancel):
        outcome = run_agent(
            BudgetedModel(choice.model, running.run_id),
            Ask(model, ({"role": "user", "content": asked},), system=SYSTEM, cancel=cancel),
            toolbox,
            limits=AgentLimits(TURNS, TOKENS),
            listener=told,
        )
        if outcome.error is not None and outcome.error.usage is not None:
            told.bill(outcome.error.usage)
    if outcome.ended is Ended.FAILED:
        raise RunError(f"{outcome.error} Memory is as it was.", type(outcome.error).__name__)
    return Dreamt(report_of(outcome.text), CUT_OFF.get(outcome.ended, ""), outcome)


def whys(report: Report, names: set[str]) -> tuple[dict[str, Why], int]:
    """What was said of each file, with the entries that are in the archive; and how many of those named are not."""
    pairs = {pair for told in report.files.values() for pair in told.sources}
    known = _sources(pairs)
    found = {
        name: Why(told.reason, [known[pair] for pair in told.sources if pair in known])
        for name, told in report.files.items()
        if name in names
    }
    return found, len(pairs - known.keys())


def _sources(pairs: set[tuple[str, str]]) -> dict[tuple[str, str], Source]:
    transcripts = Transcript.objects.filter(session_id__in={session for session, _ in pairs})
    sessions: dict[int, str] = dict(transcripts.values_list("pk", "session_id"))
    keys: Mapping[str, int] = {entry: key_of(entry) for _, entry in pairs}
    rows = Entry.objects.filter(uuid_key__in=set(keys.values())).order_by("pk").values_list("pk", "uuid_key")
    places: dict[tuple[str, int | None], int] = {}
    for pk, key in rows:
        transcript = pk >> POSITION_BITS
        if transcript in sessions:
            places.setdefault((sessions[transcript], key), transcript)
    return {
        (session, entry): Source(places[session, keys[entry]], entry)
        for session, entry in pairs
        if (session, keys[entry]) in places
    }


def _moment(lock: Lock) -> str:
    if lock.consolidated_ns is None:
        return ""
    return f"at {datetime.fromtimestamp(lock.consolidated_ns / 1e9, UTC):%Y-%m-%d %H:%M} UTC"


@dataclass(slots=True)
class _Told:
    """Tells a run what its agent does: starting, until the first write; each answer is a turn."""

    running: ActiveRun
    model: str
    copy: Path
    turns: int = 0
    files: set[str] = field(default_factory=set)

    def __call__(self, progress: AgentProgress) -> None:
        if isinstance(progress, ToolStarted):
            if progress.name in CHANGING and not self.files:
                self.running.ensure_phase("updating", unit="turns")
                self.running.report_progress(self.turns)
            return
        self._turn(progress)

    def _turn(self, turn: Turn) -> None:
        names = [self._name(path) for path in turn.touched]
        self.files.update(names)
        self.turns = turn.number
        refused = "".join(f"\nRefused: {one.tool}: {one.reason}" for one in turn.denials)
        self.running.add_turn(f"{turn.text}{refused}".strip(), tools=turn.tools, files=names)
        self.bill(turn.usage)
        self.running.report_progress(self.turns, files=len(self.files))

    def bill(self, usage: Usage) -> None:
        run_bill(running=self.running, model=self.model, usage=usage)

    def _name(self, path: str) -> str:
        return str(Path(path).relative_to(self.copy.resolve()))
