"""A process that works on runs, for tests: `python -m tests.postgres.working VERB [arguments]`.

It says what it does, line by line, and goes on when a line comes in."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django


def say(*words: object) -> None:
    print(*words, flush=True)


def wait_for_line() -> None:
    sys.stdin.readline()


def work(running: Any, run: Any) -> dict[str, Any]:
    """Needs no database, and ends when it is told to: by a kill, or by a line."""
    import threading

    event = threading.Event()

    def listen() -> None:
        wait_for_line()
        event.set()

    threading.Thread(target=listen, daemon=True).start()
    running.begin_phase("working")
    say("working", run.pk)
    while not event.is_set():
        running.wait(0.05)
    return {"summary": "Done."}


def perform() -> None:
    """Creates a run and executes it, as a worker would."""
    from inspector.runs.services import run_create, run_execute

    run_execute(run_id=run_create(kind="test").pk)
    say("ended")


def import_all(path: str) -> None:
    """As the watcher does: in its own thread, which forks, and so without a pulse."""
    from inspector.runs.services import RunKilled
    from sessions.imports.services.import_runs import import_run

    say("ready")
    try:
        import_run(Path(path))
    except RunKilled:
        say("stopped")


def kill(run_id: str) -> None:
    from inspector.runs.models import Run
    from inspector.runs.services import run_kill

    say("killed", run_kill(run_id=int(run_id)))
    while Run.objects.get(pk=run_id).status == "running":
        time.sleep(0.1)
    say(Run.objects.get(pk=run_id).status)


def create(times: str) -> None:
    """As often as that, and at the same time as others who do the same."""
    from inspector.runs.services import run_create

    say("ready")
    wait_for_line()
    say(*sorted({run_create(kind="test").pk for _ in range(int(times))}))


def claim(times: str) -> None:
    from inspector.runs.services.schedule import moment_claim

    say("ready")
    wait_for_line()
    say(sum(moment_claim(name="test", interval=3600.0) for _ in range(int(times))))


def present() -> None:
    from inspector.runs.selectors.presence import list_processes as found
    from inspector.runs.services.presence import presence_begin

    presence_begin(role="worker")
    say("ready")
    wait_for_line()
    say(*sorted(f"{item.host or 'here'}:{item.pid}:{item.is_responding}" for item in found("worker")))


def main() -> None:
    django.setup()
    from inspector.runs.kinds import RunKind, run_kind_register

    run_kind_register(RunKind(name="test", title="Test", work=work, single=True))
    verb, *arguments = sys.argv[1:]
    verbs: dict[str, Callable[..., None]] = {
        "perform": perform,
        "import": import_all,
        "kill": kill,
        "create": create,
        "claim": claim,
        "present": present,
    }
    verbs[verb](*arguments)


if __name__ == "__main__":
    main()
