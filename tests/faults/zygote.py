"""A process that has Lucid loaded and forks for every attempt: to start an interpreter takes longer than what it does.

It reads requests as JSON lines, forks, has the child do the work with its output in a file, and answers when the child
and all that it started have ended."""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import pkgutil
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
WAIT_SECONDS = 0.005
STAY_SECONDS = 30.0
LATE = ("anthropic", "celery.app.amqp", "django.test", "tests.faults.work")
"""What Lucid and its libraries import when they first need it."""


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
    from inspector.cli import OUR_APPS

    for package in OUR_APPS:
        _import_all(package)
    for name in LATE:
        importlib.import_module(name)
    _load_pages()
    gc.collect()
    gc.freeze()


def _import_all(name: str) -> None:
    module = importlib.import_module(name)
    for part in pkgutil.iter_modules(getattr(module, "__path__", ()), f"{name}."):
        if not part.name.endswith(".__main__"):
            _import_all(part.name)


def _load_pages() -> None:
    from django.conf import settings
    from django.template.loader import get_template
    from django.urls import get_resolver

    assert get_resolver().url_patterns
    for folder in settings.TEMPLATES[0]["DIRS"]:
        for path in Path(folder).rglob("*.html"):
            get_template(str(path.relative_to(folder)))


def _attempt(request: dict[str, Any]) -> dict[str, Any]:
    pid = os.fork()
    if pid == 0:
        _child(request)
    status, stayed = _wait(pid, request["seconds"])
    return {"status": status, "stayed": stayed}


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


def _wait(pid: int, seconds: float) -> tuple[int | None, bool]:
    """The exit status of the child; negative if it was killed, None if it did not end in time. Then whether somebody
    whom it had started was still there long after it. Nobody is left."""
    end = time.monotonic() + seconds
    status: int | None = None
    while time.monotonic() < end:
        try:
            result, code = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status, False
        if result == pid:
            status = os.waitstatus_to_exitcode(code)
            end = min(end, time.monotonic() + STAY_SECONDS)
        elif result == 0:
            time.sleep(WAIT_SECONDS)
    _kill_group(pid)
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return status, status is not None


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    main()
