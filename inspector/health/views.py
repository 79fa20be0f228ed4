"""`/health/`: can Lucid do what its pages need, now? 200 when well, 503 with the reasons when not."""

from __future__ import annotations

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from inspector import __version__
from inspector.health.probes import Probing
from inspector.owner.gate import is_stranger
from inspector.startup.processes import State, state_of
from inspector.startup.schema import read_schema
from inspector.startup.single import running_at
from sessions.capture.selectors.recording import recording_state

_probing = Probing()


@require_safe
@never_cache
def health(request: HttpRequest) -> JsonResponse:
    found = _probing.found(worker_wanted=_worker_wanted())
    reasons = found.reasons
    database, schema = ("unwritable", "unknown") if found.database else _database(reasons)
    processes = {name: state_of(name) for name in ("worker", "watcher")}
    reasons += [f"the {name} died and is being restarted" for name, state in processes.items() if state is State.DEAD]
    answer: dict[str, str | list[str] | dict[str, int]] = {
        "status": "unwell" if reasons else "ok",
        "version": __version__,
        "database": database,
        "schema": schema,
        **{name: state.value for name, state in processes.items()},
        "capture": _capture(),
    }
    if processes["worker"] is State.ABSENT and any(worker.is_responding for worker in found.workers):
        answer["worker"] = State.RUNNING.value
    if reasons:
        answer["reasons"] = reasons
    if is_stranger(request):
        answer = {"status": answer["status"]}
    return JsonResponse(answer, status=503 if reasons else 200)


def _worker_wanted() -> bool:
    """Whether pages may count on a worker: that of `lucid serve`, or those that Redis is there for."""
    if settings.LUCID_WORKER:
        return state_of("worker") is not State.ABSENT or running_at(settings.LUCID_HOME) is not None
    return bool(settings.REDIS_URL)


def _capture() -> dict[str, int]:
    """How recording fares. It makes nothing unwell: the traffic goes on."""
    state = recording_state()
    return {
        "forwarded": state.forwarded,
        "written": state.written,
        "lost": state.lost_count,
        "waiting": state.waiting.files,
        "unreadable": state.unreadable.files,
    }


def _database(reasons: list[str]) -> tuple[str, str]:
    try:
        schema = read_schema(connection)
    except DatabaseError as error:
        reasons.append(f"the database cannot be read: {error}")
        return "unreadable", "unknown"
    if schema.pending:
        reasons.append(f"the database lacks {schema.pending[-1]}")
    if schema.unknown:
        reasons.append(f"the database is of a newer version: {schema.unknown[-1]}")
    return "ok", schema.applied[-1] if schema.applied else "none"


urlpatterns = [path("health/", health, name="health")]
