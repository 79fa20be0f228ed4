"""Compactions as runs, because a model may take minutes to write the summary, and people may stop it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import Http404

from compaction.hooks.selectors import Scope, hooks_of
from compaction.hooks.services import HookBlockedError, RunningHooks
from compaction.kinds.engine import KindError, Parameters, kind_named
from compaction.kinds.selectors.moment import Moment, find_moment
from compaction.kinds.services.make import compaction_make
from compaction.kinds.services.summarising import NoModelError, Summariser, summariser_choose
from compaction.kinds.services.watcher import RequestOutcome
from compaction.models import Compaction
from inspector.agents.cancel import CancelToken
from inspector.budget.billing import run_bill
from inspector.budget.services import budget_hold
from inspector.runs.models import Run
from inspector.runs.services.active_run import ActiveRun
from inspector.runs.services.stops import RunError, RunStopped
from inspector.web.clock import now_ms
from sessions.model_requests.budgeted_model import BudgetedModel
from sessions.models import Transcript
from sessions.text.engine import words

KIND = "compaction"
HOOKS_CHANGED = (
    "The hooks are not the ones that were shown when this was started, so none has run and nothing was compacted. "
    "Look at them again, and start it anew."
)
ANSWER_CHARACTERS = 1000
"""Characters of an answer that a turn shows: the last ones while it arrives, the first ones afterwards."""


def compaction_run(running: ActiveRun, run: Run, announce: Callable[[str], None] | None = None) -> dict[str, Any]:
    """Makes the compaction in `parameters`: transcript, kind, model, hooks, and settings of the kind. The session does
    not change. `announce` is told each phase too."""
    parameters = run.parameters
    watcher = RunWatcher(running, announce or _ignore_phase)
    watcher.phase("reading the session")
    transcript = Transcript.objects.select_related("source").filter(pk=parameters["transcript"]).first()
    if transcript is None:
        raise RunError("The session is no longer in the archive.")
    cancel = CancelToken()
    with running.close_on_stop(cancel.cancel):
        try:
            summariser = summariser_choose(settings.MODELS, parameters.get("model", ""), watcher=watcher, cancel=cancel)
            if summariser.model_writer is not None:
                budget_hold()
                summariser.model_writer.model = BudgetedModel(summariser.model_writer.model, run.pk)
            hooks = _load_hooks(run, transcript, watcher, cancel)
            compaction = _make(run, transcript, summariser, hooks, watcher)
        except (KindError, NoModelError) as error:
            raise RunError(str(error)) from error
        except HookBlockedError as error:
            raise RunError(str(error), result=_describe_hooks(hooks)) from error
    result = _describe_result(compaction, transcript, summariser) | _describe_hooks(hooks)
    if compaction.report["failed"]:
        raise RunError(compaction.report["why"], result=result)
    return result


def _load_hooks(run: Run, transcript: Transcript, watcher: RunWatcher, cancel: CancelToken) -> RunningHooks | None:
    """The hooks that the run was started with; None if none should run."""
    try:
        scope = Scope(run.parameters.get("hooks") or Scope.OFF)
    except ValueError:
        raise KindError(f"Which hooks run is off, user or all, not {run.parameters['hooks']!r}.") from None
    if scope is Scope.OFF:
        return None
    configured = hooks_of(transcript, str(kind_named(run.parameters["kind"]).trigger))
    if run.parameters.get("hooks_seen") != configured.fingerprint:
        raise KindError(HOOKS_CHANGED)
    for problem in configured.problems:
        watcher.note(problem)
    return RunningHooks(configured.allowed_by(scope), transcript, watcher=watcher, cancel=cancel)


def _describe_hooks(hooks: RunningHooks | None) -> dict[str, Any]:
    if hooks is None:
        return {}
    ran = [f"{hook.sentence} → {hook.reply}" if hook.reply else hook.sentence for hook in hooks.runs]
    return {"hooks": ran or ["None ran."]}


def _make(
    run: Run, transcript: Transcript, summariser: Summariser, hooks: RunningHooks | None, watcher: RunWatcher
) -> Compaction:
    parameters = run.parameters
    moment = _find_moment(transcript, parameters["at"]) if parameters.get("at") else None
    return compaction_make(
        transcript=transcript,
        kind=kind_named(parameters["kind"]),
        parameters=Parameters(
            parameters.get("pivot", ""),
            tuple(parameters.get("ids", ())),
            parameters.get("instructions", ""),
            parameters.get("settings", {}),
            tuple(parameters.get("pinned", ())),
        ),
        summariser=summariser,
        now_ms=now_ms(),
        point=moment.point if moment is not None else None,
        run_id=run.pk,
        hooks=hooks,
        watcher=watcher,
    )


def _find_moment(transcript: Transcript, address: str) -> Moment:
    try:
        moment = find_moment(transcript, address)
    except Http404 as error:
        raise KindError(str(error)) from error
    if moment.transcript.pk != transcript.pk:
        raise KindError(f"The entry {address} is of another transcript: {moment.transcript.public_id}.")
    return moment


def _describe_result(compaction: Compaction, transcript: Transcript, summariser: Summariser) -> dict[str, Any]:
    page = f"/sessions/{transcript.public_id}/"
    links = [["The session", page]]
    result: dict[str, Any] = {"compaction": compaction.pk}
    if not compaction.report["failed"]:
        links.insert(0, ["Before and after", f"{page}compactions/run-{compaction.run_id}/"])
        result |= {
            "summary": compaction.report["why"],
            "messages_before": compaction.messages_before,
            "messages_after": compaction.messages_after,
            "written_by": compaction.model_name,
        }
    if sharing := compaction.report.get("sharing"):
        result["prompt_cache"] = sharing["why"]
    if "failures_in_a_row" in compaction.report:
        result["failures_in_a_row"] = compaction.report["failures_in_a_row"]
    if summariser.model_writer is not None:
        result["requests"] = [_sentence(request) for request in summariser.model_writer.requests]
    return {**result, "links": links}


def _sentence(request: RequestOutcome) -> str:
    outcome = request.problem.rstrip(".") or "it wrote the summary"
    if not request.usage.total:
        return f"{request.how}: {outcome}."
    cost = f" for {words.money(request.cost)}" if request.cost is not None else ""
    return f"{request.how}: {outcome}. {words.tokens(request.usage.total)} tokens{cost}."


def _ignore_phase(phase: str) -> None:
    pass


@dataclass(slots=True)
class RunWatcher:
    """Shows the requests for a summary on the page of the run, each as a turn."""

    running: ActiveRun
    announce: Callable[[str], None]
    how: str = ""
    counting: bool = False
    """The phase counts something else than what arrives."""

    def phase(self, name: str, /, *, total: int | None = None, unit: str = "") -> None:
        self.counting = total is not None
        self.announce(name)
        self.running.begin_phase(name, total=total, unit=unit)

    def step(self, number: int, /) -> None:
        self.running.report_progress(number)

    def wait(self, seconds: float, /) -> None:
        self.running.wait(seconds)

    def begin_request(self, how: str, /) -> None:
        self.how = how
        self.running.add_turn(f"{how} …")

    def receive_text(self, text: str, /) -> None:
        self.running.update_turn(
            f"{self.how} …\n\n{'…' if len(text) > ANSWER_CHARACTERS else ''}{text[-ANSWER_CHARACTERS:]}"
        )
        # The request is stopped by its token, and its sender still learns what was billed.
        with suppress(RunStopped):
            if not self.counting:
                self.running.report_progress(len(text))

    def note(self, text: str, /) -> None:
        self.running.add_turn(text)

    def end_request(self, request: RequestOutcome, text: str, /) -> None:
        heading = f"{request.how}: {request.problem.rstrip('.')}." if request.problem else f"{request.how}."
        begins = f"{text[:ANSWER_CHARACTERS]}…" if len(text) > ANSWER_CHARACTERS else text
        self.running.update_turn(f"{heading}\n\n{begins}".strip(), tools=request.tools)
        run_bill(running=self.running, model=request.model, usage=request.usage, reported_cost=request.cost)
