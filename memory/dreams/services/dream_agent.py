"""A dream: an agent that reads memory and transcripts and changes a copy of the memory, in four phases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from inspector.agents.cancel import CancelToken
from inspector.agents.choosing import choose_model
from inspector.agents.errors import BadRequestError, RefusedError
from inspector.agents.forks import fork
from inspector.agents.loop import AgentEnd, AgentLimits, AgentOutcome, AgentProgress, ToolStarted, Turn, run_agent
from inspector.agents.model import Ask, LanguageModel
from inspector.agents.snip import Snip
from inspector.agents.tools import Readable, Tool, Toolbox, Writable, reading_tools, writing_tools
from inspector.budget.billing import run_bill
from inspector.budget.services import budget_hold
from inspector.runs.services import ActiveRun, RunError
from inspector.web.clock import now_ms
from memory.dreams.engine.lock import DreamLock
from memory.dreams.engine.prompt import SYSTEM, DreamReport, dream_prompt, read_report
from memory.dreams.selectors.gates import sessions_since
from memory.dreams.selectors.parent import DreamParent, find_dream_parent
from memory.models import Directory
from memory.proposals.selectors.proposals import Source
from memory.proposals.services.proposals import FileReason
from sessions.model_requests.budgeted_model import BudgetedModel
from sessions.models import Entry, Transcript
from sessions.text.engine.words import tokens
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.keys import key_of
from sessions.usage.engine.usage import Usage

TURNS = 40
TOKENS = 1_000_000
"""Of all requests together: it begins no further one after that."""
ALONE = "It was to ask by itself, with no session before it."
FORKED = (
    "What follows is not part of the work above: put that aside, and do not go on with it. You have another task now."
)
MOST_SESSIONS = 30
"""Transcripts that are named to the model."""
CHANGING = frozenset({"Edit", "Write"})
NO_MODEL = "A dream needs a model that can use tools: set ANTHROPIC_API_KEY and start Lucid again. Tidy needs none."
CUT_OFF = {
    AgentEnd.TURN_LIMIT: f"It had used its {TURNS} turns; what it had done by then is proposed.",
    AgentEnd.TOKEN_LIMIT: f"It had used its {TOKENS:,} tokens; what it had done by then is proposed.",
    AgentEnd.OUTPUT_LIMIT: "Its last answer was cut off by its limit; what it had done by then is proposed.",
}


@dataclass(frozen=True, slots=True)
class DreamOutcome:
    report: DreamReport
    cut_off: str
    """Why it ended before it was done; empty if it did not."""
    outcome: AgentOutcome
    sharing: str
    """Whose prompt cache it shared, or why nobody's."""


def run_dream_agent(
    running: ActiveRun, directory: Directory, lock: DreamLock, copy: Path, model: str, *, forks: bool
) -> DreamOutcome:
    """`lock`: as it was before, which tells since when sessions count; `forks`: continue the latest session while its
    request is cached."""
    choice = choose_model(settings.MODELS)
    if choice.model is None or choice.kind != "anthropic":
        raise RunError(NO_MODEL, choice.why)
    budget_hold()
    sessions = sessions_since(directory, lock)
    # Only folders with transcripts, because a directory elsewhere has other people's files beside it.
    transcripts = sorted({transcript.path.parent for transcript in sessions_since(directory, DreamLock(None, None))})
    cancel = CancelToken()
    tools = (*reading_tools(Readable((copy, *transcripts))), *writing_tools(Writable(copy)))
    request = dream_prompt(
        copy=str(copy),
        transcripts=[str(folder) for folder in transcripts],
        today=f"{datetime.now(UTC):%Y-%m-%d}",
        since=_format_time(lock),
        sessions=[f"{session.path} ({session.size:,} bytes)" for session in sessions[:MOST_SESSIONS]],
    )
    parent = find_dream_parent(directory, now_ms()) if forks else DreamParent(ALONE)
    asks = [Ask(model, ({"role": "user", "content": request},), system=SYSTEM, cancel=cancel)]
    if parent.request is not None:
        own = {"role": "user", "content": [{"type": "text", "text": f"{FORKED}\n\n{SYSTEM}\n\n{request}"}]}
        asks.insert(0, fork(parent.request.params, [own], writes_cache=True, cancel=cancel))
    # Each turn of a fork reads the whole session again, which is not part of the dream's limit.
    limits = AgentLimits(TURNS, TOKENS + TURNS * parent.tokens)
    running.begin_phase("starting", unit="turns")
    with running.close_on_stop(cancel.cancel):
        outcome, sharing = _ask_in_turn(running, choice.model, asks, tools, limits, copy, parent)
    if outcome.ended is AgentEnd.FAILED:
        raise RunError(f"{outcome.error} Memory is as it was.", type(outcome.error).__name__)
    return DreamOutcome(read_report(outcome.text), CUT_OFF.get(outcome.ended, ""), outcome, sharing)


def _ask_in_turn(
    running: ActiveRun,
    model: LanguageModel,
    asks: Sequence[Ask],
    tools: tuple[Tool, ...],
    limits: AgentLimits,
    copy: Path,
    parent: DreamParent,
) -> tuple[AgentOutcome, str]:
    """Asks the next candidate if a fork is refused. Also returns whose cache was shared."""
    budgeted, sharing = BudgetedModel(model, running.run_id), parent.why
    for ask in asks:
        reporter = _RunReporter(running, ask.model, copy)
        # A fork has the tools of its session, and tags in it would change what is cached.
        snip = None if ask.tools else Snip()
        toolbox = Toolbox(tools if snip is None else (*tools, snip))
        outcome = run_agent(budgeted, ask, toolbox, limits=limits, listener=reporter, snip=snip)
        if outcome.error is not None and outcome.error.usage is not None:
            reporter.bill(outcome.error.usage)
        if outcome.turns or not isinstance(outcome.error, BadRequestError | RefusedError):
            break
        sharing = f"The fork was refused, so the dream asked by itself: {outcome.error}"
    if len(asks) > 1 and ask is asks[0]:
        spent = outcome.usage
        sharing += f" {tokens(spent.cache_read)} of its {tokens(spent.context)} tokens came from the prompt cache."
    return outcome, sharing


def collect_reasons(report: DreamReport, names: set[str]) -> tuple[dict[str, FileReason], int]:
    """The report on each file, with the named entries that are in the archive, and the number of those that are not."""
    pairs = {pair for file_report in report.files.values() for pair in file_report.sources}
    sources = _find_sources(pairs)
    reasons = {
        name: FileReason(file_report.reason, [sources[pair] for pair in file_report.sources if pair in sources])
        for name, file_report in report.files.items()
        if name in names
    }
    return reasons, len(pairs - sources.keys())


def _find_sources(pairs: set[tuple[str, str]]) -> dict[tuple[str, str], Source]:
    transcripts = Transcript.objects.filter(session_id__in={session for session, _ in pairs})
    sessions: dict[int, str] = dict(transcripts.values_list("pk", "session_id"))
    keys: Mapping[str, int] = {entry: key_of(entry) for _, entry in pairs}
    rows = Entry.objects.filter(uuid_key__in=set(keys.values())).order_by("pk").values_list("pk", "uuid_key")
    transcript_of: dict[tuple[str, int | None], int] = {}
    for pk, key in rows:
        transcript = pk >> POSITION_BITS
        if transcript in sessions:
            transcript_of.setdefault((sessions[transcript], key), transcript)
    return {
        (session, entry): Source(transcript_of[session, keys[entry]], entry)
        for session, entry in pairs
        if (session, keys[entry]) in transcript_of
    }


def _format_time(lock: DreamLock) -> str:
    if lock.consolidated_ns is None:
        return ""
    return f"at {datetime.fromtimestamp(lock.consolidated_ns / 1e9, UTC):%Y-%m-%d %H:%M} UTC"


@dataclass(slots=True)
class _RunReporter:
    """Reports the agent's work to its run: the phases, and each answer as a turn."""

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
        self._report_turn(progress)

    def _report_turn(self, turn: Turn) -> None:
        names = [self._relative_name(path) for path in turn.touched]
        self.files.update(names)
        self.turns = turn.number
        refused = "".join(f"\nRefused: {denial.tool}: {denial.reason}" for denial in turn.denials)
        self.running.add_turn(f"{turn.text}{refused}".strip(), tools=turn.tools, files=names)
        self.bill(turn.usage)
        self.running.report_progress(self.turns, files=len(self.files))

    def bill(self, usage: Usage) -> None:
        run_bill(running=self.running, model=self.model, usage=usage)

    def _relative_name(self, path: str) -> str:
        return str(Path(path).relative_to(self.copy.resolve()))
