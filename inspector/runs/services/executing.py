"""Does the work of a run, once, and writes what became of it, whatever that is."""

from __future__ import annotations

import json
import logging
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from inspector.runs.kinds import (
    Kind,
    Result,
    Work,
    kind_named,
)
from inspector.runs.models import Run
from inspector.runs.selectors.kills import kill_asked_at
from inspector.runs.services.kill_notes import kill_forget
from inspector.runs.services.persisting import persist
from inspector.runs.services.presence import own_name
from inspector.runs.services.pulse import beating, ours
from inspector.runs.services.running import Running
from inspector.runs.services.stops import (
    Killed,
    RunError,
    Stopped,
    failure_of,
)
from inspector.runs.services.under_way import at_work
from inspector.structured import BoundLogger, bound_contextvars, get_logger
from inspector.web.clock import now_ms
from inspector.web.database import trouble_of

MONTH_MS = 31 * 86_400_000
CLAIM_SECONDS = 60.0
FINISH_SECONDS = 600.0
"""How long a database may be away, and what became of a run is still written."""
IMPATIENT_SECONDS = 30.0
"""The same where somebody waits for the run: a command, or the watcher."""
INTERRUPTED = "Lucid was stopped while it ran, so it was cut off. Retry starts it anew."

logger = get_logger(__name__)


@dataclass(slots=True)
class Outcome:
    status: Run.Status
    fields: dict[str, Any] = field(default_factory=dict)
    error: BaseException | None = None


def run_execute(*, run_id: int) -> bool:
    """Works on a queued run. False if there is nothing to do: its message came twice, or it was killed before."""
    if not persist(lambda: _claim(run_id), seconds=CLAIM_SECONDS):
        return False
    run = persist(lambda: Run.objects.get(pk=run_id), seconds=CLAIM_SECONDS)
    kind = kind_named(run.kind)
    if kind is None:
        sentence = f"This version of Lucid has no runs of the kind “{run.kind}”."
        _finish(Running(run), Outcome(Run.Status.FAILED, {"error": sentence}))
        return True
    _conduct(run, kind, kind.function())
    return True


def run_perform(
    *,
    kind: str,
    target: str = "",
    parameters: dict[str, Any] | None = None,
    work: Work | None = None,
    pulse: bool = True,
) -> Result:
    """A run of this very process, now: for commands, and for the watcher. Raises what the work raises.

    Without a pulse there is no second thread, for work that forks; what it says is written when it says so."""
    known = kind_named(kind)
    assert known is not None
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
        worker=own_name(),
    )
    outcome = _conduct(run, known, work or known.function(), pulse=pulse, raises=True)
    if outcome.error is not None:
        raise outcome.error
    result: Result = outcome.fields["result"]
    return result


def _claim(run_id: int) -> bool:
    """One statement, so that of two workers with the same message only one gets the run."""
    now = now_ms()
    claimed = Run.objects.filter(pk=run_id, status=Run.Status.QUEUED).update(
        status=Run.Status.RUNNING, started_at=now, phase_at=now, heartbeat_at=now, worker=own_name()
    )
    return bool(claimed)


def _conduct(run: Run, kind: Kind, work: Work, *, pulse: bool = True, raises: bool = False) -> Outcome:
    running = Running(run)
    if running.noted():
        running.stop(Killed)
    log = logger.bind(run=run.pk, kind=run.kind)
    # The lease is kept until the end is written: while the database is away, nobody may take the run for lost.
    with at_work(running), bound_contextvars(run=run.pk), beating(running) if pulse else nullcontext():
        outcome = _outcome(running, run, work)
        _log(log, outcome, raises=raises)
        asked = kill_asked_at(run)
        if outcome.status is Run.Status.KILLED and asked is not None:
            outcome.fields["kill_requested_at"] = asked
        _finish(running, outcome, seconds=IMPATIENT_SECONDS if raises else FINISH_SECONDS)
    kill_forget(run)
    _forget(kind)
    return outcome


def _log(log: BoundLogger, outcome: Outcome, *, raises: bool) -> None:
    """What was foreseen needs no traceback. What the caller hears of itself is its to tell: a command has one line."""
    if isinstance(outcome.error, RunError):
        log.info("run_failed", cause=type(outcome.error.__cause__ or outcome.error).__name__)
    elif trouble_of(outcome.error) is not None:
        log.warning("run_failed", cause=str(outcome.error).strip())
    elif isinstance(outcome.error, Exception):
        log.log(logging.INFO if raises else logging.ERROR, "run_failed", exc_info=outcome.error)
    else:
        log.info("run_ended", status=outcome.status.value)


def _outcome(running: Running, run: Run, work: Work) -> Outcome:
    try:
        running.check()
        result = work(running, run)
        json.dumps(result)  # what cannot be stored is a fault of the work
    except (Killed, KeyboardInterrupt) as stop:
        return Outcome(Run.Status.KILLED, error=stop)
    except (Stopped, SystemExit) as stop:
        return Outcome(Run.Status.FAILED, {"error": INTERRUPTED, "reason": type(stop).__name__}, stop)
    except Exception as error:
        failure = failure_of(error)
        told = {"error": failure.sentence, "reason": failure.reason, "result": failure.result}
        return Outcome(Run.Status.FAILED, told, error)
    said = {"summary": str(result.get("summary", "")), "error": str(result.get("alarm", ""))}
    return Outcome(Run.Status.COMPLETED, {"result": result, **said})


def _finish(running: Running, outcome: Outcome, *, seconds: float = FINISH_SECONDS) -> None:
    """Only as long as the run is ours: one that was given up stays as it was left."""
    now = now_ms()
    with running.writing:  # what the pulse has taken would not reach a run that is over
        last = running.take()
    told = {**last, **outcome.fields, "status": outcome.status, "finished_at": now, "heartbeat_at": now}
    if not persist(lambda: ours(running).update(**told), seconds=seconds):
        logger.warning("run_was_given_up", run=running.run_id, status=outcome.status.value)


def _forget(kind: Kind) -> None:
    """Those that are many, but for what models have cost: the monthly budget is counted from runs."""
    if kind.keep is None:
        return
    ended = Run.objects.filter(kind=kind.name, finished_at__isnull=False).order_by("-pk")
    first = ended.values_list("pk", flat=True)[kind.keep : kind.keep + 1].first()
    if first is None:
        return
    counts = Q(created_at__gt=now_ms() - MONTH_MS) & (Q(cost__gt=0) | Q(input_tokens__gt=0) | Q(output_tokens__gt=0))
    passed = list(ended.filter(pk__lte=first).exclude(counts).values_list("pk", flat=True)[:500])
    if passed:
        Run.objects.filter(pk__in=passed).delete()
