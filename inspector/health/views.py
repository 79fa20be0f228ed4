"""`/health/`: can Lucid do what its pages need right now? 200 if so, or else 503 with the reasons."""

from __future__ import annotations

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from inspector import __version__
from inspector.health.probes import Prober
from inspector.owner.gate import is_stranger
from inspector.startup.home_claim import running_at
from inspector.startup.processes import State, state_of
from inspector.startup.schema import read_schema
from sessions.capture.selectors.recording import recording_state

_probing = Prober()


@require_safe
@never_cache
def health(request: HttpRequest) -> JsonResponse:
    result = _probing.read(worker_wanted=_is_worker_expected())
    reasons = result.reasons
    database, schema = ("unwritable", "unknown") if result.database else _database(reasons)
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
    if processes["worker"] is State.ABSENT and any(worker.is_responding for worker in result.workers):
        answer["worker"] = State.RUNNING.value
    if reasons:
        answer["reasons"] = reasons
    if is_stranger(request):
        answer = {"status": answer["status"]}
    return JsonResponse(answer, status=503 if reasons else 200)


def _is_worker_expected() -> bool:
    """Whether there should be a worker: that of `lucid serve`, or others that share a Redis."""
    if settings.LUCID_WORKER:
        return state_of("worker") is not State.ABSENT or running_at(settings.LUCID_HOME) is not None
    return bool(settings.REDIS_URL)


def _capture() -> dict[str, int]:
    """The state of recording. Its trouble does not count as unwell, because the traffic goes on."""
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
