"""Runs Lucid's own agents: reports what they say and do turn by turn, counts their cost, and can stop them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from inspector.agents.cancel import CancelToken
from inspector.agents.choosing import CONFIGURED, choose_model
from inspector.agents.loop import AgentEnd, AgentLimits, AgentOutcome, AgentProgress, ToolStarted, Turn, run_agent
from inspector.agents.model import Ask, LanguageModel, Listener, Progress, RetryScheduled
from inspector.agents.tools.tool import Toolbox
from inspector.budget.billing import run_bill
from inspector.budget.services import budget_hold
from inspector.runs.models import Run
from inspector.runs.services.active_run import ActiveRun
from inspector.runs.services.stops import RunError, RunStopped
from sessions.model_requests.budgeted_model import BudgetedModel
from sessions.text.engine.words import duration, money, plural, tokens
from sessions.usage.engine.prices import cost_of
from sessions.usage.engine.usage import Usage

ANSWER_CHARS = 1000
"""Characters of an answer that a turn shows."""
MakeAsk = Callable[[CancelToken, Listener], Ask]


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """The model that a run asks."""

    model: LanguageModel
    name: str


def model_choose(run: Run, name: str) -> ChosenModel:
    """`name`: a model, or `configured`. Within the budget; raises RunError if there is nobody to ask."""
    choice = choose_model(settings.MODELS)
    if choice.model is None:
        raise RunError(f"{'The configured model' if name == CONFIGURED else name} cannot be asked. {choice.why}")
    budget_hold()
    return ChosenModel(BudgetedModel(choice.model, run.pk), choice.main if name == CONFIGURED else name)


def agent_conduct(
    running: ActiveRun, chosen: ChosenModel, make: MakeAsk, toolbox: Toolbox, *, limits: AgentLimits, root: Path
) -> AgentOutcome:
    """Raises RunError if the model failed. `root`: the directory that contains the files it uses."""
    cancel = CancelToken()
    reporter = _RunReporter(running, chosen.name, limits.turns, root)
    reporter.report_request(1)
    with running.close_on_stop(cancel.cancel):
        ask = make(cancel, reporter.report_retry)
        reporter.model = ask.model
        outcome = run_agent(chosen.model, ask, toolbox, limits=limits, listener=reporter.report)
        if outcome.error is not None:
            reporter.bill(outcome.error.usage or Usage())
            if outcome.ended is AgentEnd.FAILED:
                raise RunError(str(outcome.error), type(outcome.error).__name__) from outcome.error
    return outcome


def describe_spending(outcome: AgentOutcome, model: str) -> str:
    """Cost and tokens, as a sentence."""
    cost = cost_of(model, outcome.usage)
    price = f" for {money(cost)}" if cost is not None else ""
    requests = plural(len(outcome.turns), "request")
    return f"Asked {model} in {requests}: {tokens(outcome.usage.total)} tokens{price}."


def describe_denials(outcome: AgentOutcome) -> list[str]:
    return [f"{denial.tool} was not allowed: {denial.reason}" for denial in outcome.denials]


@dataclass(slots=True)
class _RunReporter:
    running: ActiveRun
    name: str
    turns: int
    root: Path
    model: str = ""

    def report_request(self, number: int) -> None:
        self._phase(f"asking {self.name}, turn {number} of at most {self.turns}")

    def report_retry(self, progress: Progress) -> None:
        if isinstance(progress, RetryScheduled):
            wait = duration(1000 * max(1, round(progress.wait)))
            self.bill(progress.error.usage or Usage())
            self._phase(f"waiting {wait}: {progress.error.brief} (attempt {progress.attempt} failed)")

    def report(self, progress: AgentProgress) -> None:
        if isinstance(progress, ToolStarted):
            self._phase(f"{progress.name} {self._describe_tool(progress)}".strip())
        elif isinstance(progress, Turn):
            answer = f"{progress.text[:ANSWER_CHARS]}…" if len(progress.text) > ANSWER_CHARS else progress.text
            denials = "\n".join(f"{denial.tool} was not allowed: {denial.reason}" for denial in progress.denials)
            text = "\n\n".join(filter(None, (answer, denials)))
            self.running.add_turn(
                text, tools=progress.tools, files=[self._relative(denial) for denial in progress.touched]
            )
            self.bill(progress.usage)
            if progress.tools and progress.number < self.turns:
                self.report_request(progress.number + 1)

    def bill(self, usage: Usage) -> None:
        if not usage.total:
            return
        run_bill(running=self.running, model=self.model, usage=usage)

    def _phase(self, phase: str) -> None:
        # The request is stopped by its token, and its sender still learns what was billed.
        with suppress(RunStopped):
            self.running.begin_phase(phase)

    def _describe_tool(self, started: ToolStarted) -> str:
        input = started.input if isinstance(started.input, dict) else {}
        value = input.get("file_path") or input.get("pattern") or input.get("command") or ""
        return self._relative(str(value))[:60]

    def _relative(self, path: str) -> str:
        return path.removeprefix(f"{self.root.resolve()}/").removeprefix(f"{self.root}/")
