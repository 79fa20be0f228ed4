"""Compactions as runs: who writes the summary may take minutes, and may be stopped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from compaction.hooks.selectors import Scope, hooks_of
from compaction.hooks.services import HookBlockedError, RunningHooks
from compaction.kinds.engine import KindError, Parameters, kind_named
from compaction.kinds.services.make import compaction_make
from compaction.kinds.services.summarising import NoModelError, Summariser, summariser_choose
from compaction.kinds.services.watching import Asked
from compaction.models import Compaction
from inspector.agents.cancel import CancelToken
from inspector.budget.billing import run_bill
from inspector.budget.services import budget_hold
from inspector.runs.models import Run
from inspector.runs.services.active_run import ActiveRun
from inspector.runs.services.stops import RunError, RunStopped
from inspector.web.clock import now_ms
from sessions.model_requests.within_budget import BudgetedModel
from sessions.models import Transcript
from sessions.text.engine import words

KIND = "compaction"
UNSEEN = (
    "The hooks are not the ones that were shown when this was started, so none has run and nothing was compacted. "
    "Look at them again, and start it anew."
)
SEEN = 1000
"""Characters of an answer that a turn shows: the last ones while it arrives, the first ones afterwards."""


def compaction_run(running: ActiveRun, run: Run, aloud: Callable[[str], None] | None = None) -> dict[str, Any]:
    """What `parameters` ask for: transcript, kind, model, hooks, and what the kind takes. The session stays as it is.
    `aloud`: hears each phase as well."""
    asked = run.parameters
    told = _Told(running, aloud or _silent)
    told.phase("reading the session")
    transcript = Transcript.objects.select_related("source").filter(pk=asked["transcript"]).first()
    if transcript is None:
        raise RunError("The session is no longer in the archive.")
    cancel = CancelToken()
    with running.close_on_stop(cancel.cancel):
        try:
            summariser = summariser_choose(settings.MODELS, asked.get("model", ""), watcher=told, cancel=cancel)
            if summariser.asking is not None:
                budget_hold()
                summariser.asking.model = BudgetedModel(summariser.asking.model, run.pk)
            hooks = _hooks(run, transcript, told, cancel)
            made = _made(run, transcript, summariser, hooks, told)
        except (KindError, NoModelError) as error:
            raise RunError(str(error)) from error
        except HookBlockedError as error:
            raise RunError(str(error), result=_hooked(hooks)) from error
    result = _result(made, transcript, summariser) | _hooked(hooks)
    if made.report["failed"]:
        raise RunError(made.report["why"], result=result)
    return result


def _hooks(run: Run, transcript: Transcript, told: _Told, cancel: CancelToken) -> RunningHooks | None:
    """Those that whoever started the run wants to run; None if nobody does."""
    try:
        scope = Scope(run.parameters.get("hooks") or Scope.OFF)
    except ValueError:
        raise KindError(f"Which hooks run is off, user or all, not {run.parameters['hooks']!r}.") from None
    if scope is Scope.OFF:
        return None
    configured = hooks_of(transcript, str(kind_named(run.parameters["kind"]).trigger))
    if run.parameters.get("hooks_seen") != configured.fingerprint:
        raise KindError(UNSEEN)
    for problem in configured.problems:
        told.told(problem)
    return RunningHooks(configured.allowed_by(scope), transcript, watcher=told, cancel=cancel)


def _hooked(hooks: RunningHooks | None) -> dict[str, Any]:
    if hooks is None:
        return {}
    ran = [f"{one.sentence} → {one.reply}" if one.reply else one.sentence for one in hooks.runs]
    return {"hooks": ran or ["None ran."]}


def _made(
    run: Run, transcript: Transcript, summariser: Summariser, hooks: RunningHooks | None, told: _Told
) -> Compaction:
    asked = run.parameters
    return compaction_make(
        transcript=transcript,
        kind=kind_named(asked["kind"]),
        parameters=Parameters(
            asked.get("pivot", ""),
            tuple(asked.get("ids", ())),
            asked.get("instructions", ""),
            asked.get("settings", {}),
        ),
        summariser=summariser,
        now_ms=now_ms(),
        run_id=run.pk,
        hooks=hooks,
        watcher=told,
    )


def _result(made: Compaction, transcript: Transcript, summariser: Summariser) -> dict[str, Any]:
    page = f"/sessions/{transcript.public_id}/"
    links = [["The session", page]]
    result: dict[str, Any] = {"compaction": made.pk}
    if not made.report["failed"]:
        links.insert(0, ["Before and after", f"{page}compactions/run-{made.run_id}/"])
        result |= {
            "summary": made.report["why"],
            "messages_before": made.messages_before,
            "messages_after": made.messages_after,
            "before_tokens": made.tokens_before,
            "after_tokens": made.tokens_after,
            "written_by": made.model_name,
        }
    if sharing := made.report.get("sharing"):
        result["prompt_cache"] = sharing["why"]
    if "failures_in_a_row" in made.report:
        result["failures_in_a_row"] = made.report["failures_in_a_row"]
    if summariser.asking is not None:
        result["requests"] = [_sentence(one) for one in summariser.asking.asked]
    return {**result, "links": links}


def _sentence(asked: Asked) -> str:
    said = asked.problem.rstrip(".") or "it wrote the summary"
    if not asked.usage.total:
        return f"{asked.how}: {said}."
    cost = f" for {words.money(asked.cost)}" if asked.cost is not None else ""
    return f"{asked.how}: {said}. {words.tokens(asked.usage.total)} tokens{cost}."


def _silent(phase: str) -> None:
    pass


@dataclass(slots=True)
class _Told:
    """Tells a run what the requests for a summary do: each is a turn of it."""

    running: ActiveRun
    aloud: Callable[[str], None]
    how: str = ""
    counting: bool = False
    """The phase counts something else than what arrives."""

    def phase(self, what: str, /, *, total: int | None = None, unit: str = "") -> None:
        self.counting = total is not None
        self.aloud(what)
        self.running.begin_phase(what, total=total, unit=unit)

    def step(self, number: int, /) -> None:
        self.running.report_progress(number)

    def begins(self, how: str, /) -> None:
        self.how = how
        self.running.add_turn(f"{how} …")

    def grows(self, text: str, /) -> None:
        self.running.update_turn(f"{self.how} …\n\n{'…' if len(text) > SEEN else ''}{text[-SEEN:]}")
        # Whoever asks is stopped by its token: it then still knows what the request was billed.
        with suppress(RunStopped):
            if not self.counting:
                self.running.report_progress(len(text))

    def told(self, text: str, /) -> None:
        self.running.add_turn(text)

    def ended(self, asked: Asked, text: str, /) -> None:
        said = f"{asked.how}: {asked.problem.rstrip('.')}." if asked.problem else f"{asked.how}."
        begins = f"{text[:SEEN]}…" if len(text) > SEEN else text
        self.running.update_turn(f"{said}\n\n{begins}".strip(), tools=asked.tools)
        run_bill(running=self.running, model=asked.model, usage=asked.usage, reported_cost=asked.cost)
