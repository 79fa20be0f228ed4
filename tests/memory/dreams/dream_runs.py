from __future__ import annotations

import os
import time
from typing import Any

from inspector.runs.models import Run
from inspector.runs.services import run_execute
from inspector.web.clock import now_ms
from memory.dreams.engine.lock import NAME
from tests.memory.remembering import Shelf
from tests.sessions.writing import MODEL

DAY_NS = 24 * 3_600 * 1_000_000_000
TIDES = b"---\nname: tides\ndescription: when\ntype: user\n---\n\nHigh water was yesterday.\n"
FOG = b"---\nname: fog\ndescription: where\ntype: user\n---\n\nFog comes at dawn.\n"


def queued(shelf: Shelf, model: str = MODEL, **parameters: Any) -> Run:
    request = {"directory": shelf.directory.pk, "model": model, **parameters}
    kind = "dream" if model else "tidy"
    return Run.objects.create(kind=kind, target=shelf.directory.path, parameters=request, created_at=now_ms())


def executed(shelf: Shelf, model: str = MODEL, **parameters: Any) -> Run:
    run = queued(shelf, model, **parameters)
    assert run_execute(run_id=run.pk)
    run.refresh_from_db()
    return run


def consolidated(shelf: Shelf, ago_ns: int) -> int:
    path = shelf.path / NAME
    path.write_text("")
    when = time.time_ns() - ago_ns
    os.utime(path, ns=(when, when))
    return path.stat().st_mtime_ns


def files(shelf: Shelf) -> dict[str, bytes]:
    return {name: data for name, data in shelf.all().items() if name != NAME}
