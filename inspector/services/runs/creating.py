"""New runs: a row, and a message on the queue once the row is there for all to see."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import transaction

from inspector.models import Run
from inspector.services.run_kinds import Kind, kind_named
from inspector.services.runs.queueing import run_enqueue
from inspector.services.runs.stops import RunError
from inspector.web.clock import now_ms

ACTIVE = (Run.Status.QUEUED, Run.Status.RUNNING)


def run_create(
    *,
    kind: str,
    target: str = "",
    target_url: str = "",
    parameters: dict[str, Any] | None = None,
    retry_of: Run | None = None,
) -> Run:
    """A queued run; where there may only be one of its kind, the one that is under way. Raises RunError for a kind
    that nobody knows."""
    known = _known(kind)
    with transaction.atomic():
        under_way = Run.objects.filter(kind=kind, target=target, status__in=ACTIVE).first() if known.single else None
        if under_way is not None:
            return under_way
        run = Run.objects.create(
            kind=kind,
            target=target,
            target_url=target_url,
            parameters=parameters or {},
            retry_of=retry_of,
            attempt=retry_of.attempt + 1 if retry_of else 1,
            created_at=now_ms(),
        )
        transaction.on_commit(partial(run_enqueue, run.pk))
    return run


def run_retry(*, run: Run) -> Run:
    """The same once more, as a run of its own. While one retry is under way there is no second."""
    if run.status in ACTIVE:
        raise RunError("It is still under way. Kill it first.")
    under_way = run.retries.filter(status__in=ACTIVE).first()
    if under_way is not None:
        return under_way
    return run_create(
        kind=run.kind, target=run.target, target_url=run.target_url, parameters=run.parameters, retry_of=run
    )


def _known(kind: str) -> Kind:
    known = kind_named(kind)
    if known is None:
        raise RunError(f"This version of Lucid has no runs of the kind “{kind}”.")
    return known
