"""New runs: a row, and a message on the queue once the row is there for all to see."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from hashlib import blake2b
from typing import Any

from django.db import IntegrityError, transaction

from inspector.runs.kinds import Kind, kind_named
from inspector.runs.models import Run
from inspector.runs.selectors.presence import is_gone
from inspector.runs.services.giving_up import run_give_up
from inspector.runs.services.killing import GONE
from inspector.runs.services.queueing import run_enqueue
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
    """A queued run; where there may only be one of its kind, the one that is under way. Raises RunError for a kind
    that nobody knows."""
    known = _known(kind)
    made = Run(
        kind=kind,
        target=target,
        target_url=target_url,
        parameters=parameters or {},
        retry_of=retry_of,
        attempt=retry_of.attempt + 1 if retry_of else 1,
        created_at=now_ms(),
        single_key=_single_key(kind, target) if known.single else "",
    )
    if not known.single:
        return _queued(made)
    for _ in range(TRIES):
        under_way = Run.objects.filter(kind=kind, target=target, status__in=ACTIVE).first()
        if under_way is not None and not _is_over(under_way):
            return under_way
        # Somebody else may do the same just now. Of two, the database takes one.
        with suppress(IntegrityError):
            return _queued(made)
    raise RunError("Others start and end the same run all the time. Try again in a moment.")


def _queued(run: Run) -> Run:
    with transaction.atomic():
        run.save(force_insert=True)
        transaction.on_commit(partial(run_enqueue, run.pk))
    return run


def _single_key(kind: str, target: str) -> str:
    return blake2b(f"{kind}\0{target}".encode(errors="surrogatepass"), digest_size=32).hexdigest()


def _is_over(run: Run) -> bool:
    """A run whose worker has died must not keep others from starting it again."""
    return run.status == Run.Status.RUNNING and is_gone(run.worker) and run_give_up(run=run, reason=GONE)


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
