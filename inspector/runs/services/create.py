"""Creates runs: a row, and a message on the queue once the row is committed."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from hashlib import blake2b
from typing import Any

from django.db import IntegrityError, transaction

from inspector.runs.kinds import RunKind, find_run_kind
from inspector.runs.models import Run
from inspector.runs.selectors.presence import has_ended
from inspector.runs.services.give_up import run_give_up
from inspector.runs.services.kill import GONE
from inspector.runs.services.run_queue import run_enqueue
from inspector.runs.services.stops import RunError
from inspector.web.clock import now_ms

ACTIVE = (Run.Status.QUEUED, Run.Status.RUNNING)
TRIES = 5


def run_create(
    *,
    kind: str,
    target: str = "",
    target_url: str = "",
    parameters: dict[str, Any] | None = None,
    retry_of: Run | None = None,
) -> Run:
    """Returns a queued run, or, for a kind of which only one may be under way, that one. Raises RunError for an unknown
    kind."""
    run_kind = _require_kind(kind)
    run = Run(
        kind=kind,
        target=target,
        target_url=target_url,
        parameters=parameters or {},
        retry_of=retry_of,
        attempt=retry_of.attempt + 1 if retry_of else 1,
        created_at=now_ms(),
        single_key=_single_key(kind, target) if run_kind.single else "",
    )
    if not run_kind.single:
        return _enqueue(run)
    for _ in range(TRIES):
        under_way = Run.objects.filter(kind=kind, target=target, status__in=ACTIVE).first()
        if under_way is not None and not _give_up_if_lost(under_way):
            return under_way
        # Another process may do the same at this moment; the unique index lets one of the two through.
        with suppress(IntegrityError):
            return _enqueue(run)
    raise RunError("Others start and end the same run all the time. Try again in a moment.")


def _enqueue(run: Run) -> Run:
    with transaction.atomic():
        run.save(force_insert=True)
        transaction.on_commit(partial(run_enqueue, run.pk))
    return run


def _single_key(kind: str, target: str) -> str:
    return blake2b(f"{kind}\0{target}".encode(errors="surrogatepass"), digest_size=32).hexdigest()


def _give_up_if_lost(run: Run) -> bool:
    """A run whose worker has died must not prevent a new one."""
    return run.status == Run.Status.RUNNING and has_ended(run.worker) and run_give_up(run=run, reason=GONE)


def run_retry(*, run: Run) -> Run:
    """Starts a new run with the same parameters. While one retry is under way, that one is returned."""
    if run.status in ACTIVE:
        raise RunError("It is still under way. Kill it first.")
    under_way = run.retries.filter(status__in=ACTIVE).first()
    if under_way is not None:
        return under_way
    return run_create(
        kind=run.kind, target=run.target, target_url=run.target_url, parameters=run.parameters, retry_of=run
    )


def _require_kind(kind: str) -> RunKind:
    run_kind = find_run_kind(kind)
    if run_kind is None:
        raise RunError(f"This version of Lucid has no runs of the kind “{kind}”.")
    return run_kind
