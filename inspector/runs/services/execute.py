"""Does the work of a run, once, and writes the outcome, whatever it is."""

from __future__ import annotations

import json
import logging
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from inspector.runs.kinds import Result, RunKind, Work, find_run_kind
from inspector.runs.models import Run
from inspector.runs.selectors.kills import kill_requested_at
from inspector.runs.services.active_run import ActiveRun
from inspector.runs.services.database_retry import retry_while_unavailable
from inspector.runs.services.kill_notes import kill_forget
from inspector.runs.services.local_runs import register
from inspector.runs.services.presence import process_name
from inspector.runs.services.pulse import keep_pulse, own_run
from inspector.runs.services.stops import RunError, RunKilled, RunStopped, describe_failure
from inspector.structured import BoundLogger, bound_contextvars, get_logger
from inspector.web.clock import now_ms
from inspector.web.database_errors import find_trouble

MONTH_MS = 31 * 86_400_000
CLAIM_SECONDS = 60.0
FINISH_SECONDS = 600.0
"""How long the database may be unavailable before the outcome of a run is lost."""
IMPATIENT_SECONDS = 30.0
"""The same where a command or the watcher waits for the run."""
INTERRUPTED = "Lucid was stopped while it ran, so it was cut off. Retry starts it anew."

logger = get_logger(__name__)


@dataclass(slots=True)
class RunOutcome:
    status: Run.Status
    fields: dict[str, Any] = field(default_factory=dict)
    error: BaseException | None = None


def run_execute(*, run_id: int) -> bool:
    """Works on a queued run. False if there is nothing to do: the message came twice, or the run was killed first."""
    if not retry_while_unavailable(lambda: _claim(run_id), seconds=CLAIM_SECONDS):
        return False
    run = retry_while_unavailable(lambda: Run.objects.get(pk=run_id), seconds=CLAIM_SECONDS)
    kind = find_run_kind(run.kind)
    if kind is None:
        sentence = f"This version of Lucid has no runs of the kind “{run.kind}”."
        _finish(ActiveRun(run), RunOutcome(Run.Status.FAILED, {"error": sentence}))
        return True
    _carry_out(run, kind, kind.load_work())
    return True


def run_perform(
    *,
    kind: str,
    target: str = "",
    parameters: dict[str, Any] | None = None,
    work: Work | None = None,
    pulse: bool = True,
) -> Result:
    """Carries out a run in this process, at once: for commands and the watcher. Raises what the work raises.

    Without a pulse there is no second thread, which work that forks needs; it then writes its own progress."""
    run_kind = find_run_kind(kind)
    assert run_kind is not None
    now = now_ms()
    run = Run.objects.create(
        kind=kind,
        target=target,
        parameters=parameters or {},
        status=Run.Status.RUNNING,
        created_at=now,
        started_at=now,
        phase_at=now,
        heartbeat_at=now,
        worker=process_name(),
    )
    outcome = _carry_out(run, run_kind, work or run_kind.load_work(), pulse=pulse, raises=True)
    if outcome.error is not None:
        raise outcome.error
    result: Result = outcome.fields["result"]
    return result


def _claim(run_id: int) -> bool:
    """A single statement, so that of two workers with the same message only one gets the run."""
    now = now_ms()
    claimed = Run.objects.filter(pk=run_id, status=Run.Status.QUEUED).update(
        status=Run.Status.RUNNING, started_at=now, phase_at=now, heartbeat_at=now, worker=process_name()
    )
    return bool(claimed)


def _carry_out(run: Run, kind: RunKind, work: Work, *, pulse: bool = True, raises: bool = False) -> RunOutcome:
    running = ActiveRun(run)
    if running.has_kill_note():
        running.stop(RunKilled)
    log = logger.bind(run=run.pk, kind=run.kind)
    # The lease is renewed until the outcome is written: while the database is away, the run must not count as lost.
    with register(running), bound_contextvars(run=run.pk), keep_pulse(running) if pulse else nullcontext():
        outcome = _do_work(running, run, work)
        _log_outcome(log, outcome, raises=raises)
        kill_requested = kill_requested_at(run)
        if outcome.status is Run.Status.KILLED and kill_requested is not None:
            outcome.fields["kill_requested_at"] = kill_requested
        _finish(running, outcome, seconds=IMPATIENT_SECONDS if raises else FINISH_SECONDS)
    kill_forget(run)
    _delete_old_runs(kind)
    return outcome


def _log_outcome(log: BoundLogger, outcome: RunOutcome, *, raises: bool) -> None:
    """Expected failures need no traceback. Where the error is raised to the caller, reporting it is the caller's
    job."""
    if isinstance(outcome.error, RunError):
        log.info("run_failed", cause=type(outcome.error.__cause__ or outcome.error).__name__)
    elif find_trouble(outcome.error) is not None:
        log.warning("run_failed", cause=str(outcome.error).strip())
    elif isinstance(outcome.error, Exception):
        log.log(logging.INFO if raises else logging.ERROR, "run_failed", exc_info=outcome.error)
    else:
        log.info("run_ended", status=outcome.status.value)


def _do_work(running: ActiveRun, run: Run, work: Work) -> RunOutcome:
    try:
        running.check()
        result = work(running, run)
        json.dumps(result)  # a result that cannot be stored fails the run
    except (RunKilled, KeyboardInterrupt) as stop:
        return RunOutcome(Run.Status.KILLED, error=stop)
    except (RunStopped, SystemExit) as stop:
        return RunOutcome(Run.Status.FAILED, {"error": INTERRUPTED, "reason": type(stop).__name__}, stop)
    except Exception as error:
        failure = describe_failure(error)
        fields = {"error": failure.sentence, "reason": failure.reason, "result": failure.result}
        return RunOutcome(Run.Status.FAILED, fields, error)
    messages = {"summary": str(result.get("summary", "")), "error": str(result.get("alarm", ""))}
    return RunOutcome(Run.Status.COMPLETED, {"result": result, **messages})


def _finish(running: ActiveRun, outcome: RunOutcome, *, seconds: float = FINISH_SECONDS) -> None:
    """Only while the run is ours: one that was given up stays as it is."""
    now = now_ms()
    with running.writing:  # what the pulse has taken would not reach a run that is over
        updates = running.take_updates()
    fields = {**updates, **outcome.fields, "status": outcome.status, "finished_at": now, "heartbeat_at": now}
    if not retry_while_unavailable(lambda: own_run(running).update(**fields), seconds=seconds):
        logger.warning("run_was_given_up", run=running.run_id, status=outcome.status.value)


def _delete_old_runs(kind: RunKind) -> None:
    """Keeps the newest runs of the kind, and those that cost something: the monthly budget is counted from runs."""
    if kind.keep is None:
        return
    ended_runs = Run.objects.filter(kind=kind.name, finished_at__isnull=False).order_by("-pk")
    newest_expired = ended_runs.values_list("pk", flat=True)[kind.keep : kind.keep + 1].first()
    if newest_expired is None:
        return
    in_budget = Q(created_at__gt=now_ms() - MONTH_MS) & (Q(cost__gt=0) | Q(input_tokens__gt=0) | Q(output_tokens__gt=0))
    expired = list(ended_runs.filter(pk__lte=newest_expired).exclude(in_budget).values_list("pk", flat=True)[:500])
    if expired:
        Run.objects.filter(pk__in=expired).delete()
