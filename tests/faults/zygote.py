"""A process that has Lucid loaded and forks for every attempt: to start an interpreter takes longer than what it does.

It reads requests as JSON lines, forks, has the child do the work with its output in a file, and answers when the child
and all that it started have ended."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
import traceback
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
WAIT_SECONDS = 0.005


def main() -> None:
    # Grandchildren of a child that was killed are ours to wait for.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _load()
    print(json.dumps({"ready": os.getpid()}), flush=True)
    for line in sys.stdin:
        print(json.dumps(_attempt(json.loads(line))), flush=True)


def _load() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "inspector.settings"
    import django

    django.setup()
    import anthropic
    from django.core.management import get_commands, load_command_class
    from django.test import Client

    import inspector.agents.anthropic_model
    import inspector.celery
    import inspector.urls
    import tests.faults.work
    from inspector.cli import OUR_APPS

    assert all(
        (Client, anthropic, inspector.agents.anthropic_model, inspector.celery, inspector.urls, tests.faults.work)
    )
    for name, app in get_commands().items():
        if isinstance(app, str) and app.partition(".")[0] in OUR_APPS:
            load_command_class(app, name)


def _attempt(request: dict[str, Any]) -> dict[str, Any]:
    pid = os.fork()
    if pid == 0:
        _child(request)
    status = _wait(pid, request["seconds"])
    return {"status": status}


def _child(request: dict[str, Any]) -> None:
    status = 99
    try:
        os.setsid()
        os.environ.update(request["environment"])
        output = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for descriptor in (1, 2):
            os.dup2(output, descriptor)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        from tests.faults import work

        status = work.do(request["work"], request["arguments"])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _wait(pid: int, seconds: float) -> int | None:
    """The exit status of the child; negative if it was killed, None if it did not end in time. Nobody is left."""
    end = time.monotonic() + seconds
    status: int | None = None
    ended = False
    while time.monotonic() < end:
        try:
            found, code = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status
        if found == pid:
            status, ended = os.waitstatus_to_exitcode(code), True
        elif found == 0:
            time.sleep(WAIT_SECONDS)
    _kill_group(pid)
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return status if ended else None


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    main()
