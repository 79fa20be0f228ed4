"""Lucid is stopped while a run waits for a model: what is paid for may end, unless somebody insists."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.demo import names
from tests.inspector.agents.server import MessagesServer, Say, messages_server
from tests.serving import PATIENCE, ROOT, Server, environment, lucid, serving, wait_until

SUMMARY = "<summary>\n1. Primary Request and Intent:\n   The tide table has to be right.\n</summary>"
QUEUE = """
import sys
import django
django.setup()
from inspector.runs.services import run_create
from sessions.models import Transcript
session = Transcript.objects.get(session_id=sys.argv[1], kind="main")
asked = {"transcript": session.pk, "kind": "full", "model": "configured"}
print(run_create(kind="compaction", target=session.public_id, parameters=asked).pk)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, made_home: Path) -> Path:
    """A home with the demo in it."""
    home = shutil.copytree(made_home, tmp_path_factory.mktemp("stopping") / "home")
    result = lucid(home, "import", str(ROOT / "sessions" / "demo"))
    assert result.returncode == 0, result.stderr
    return home


def queue(home: Path) -> None:
    env = environment(home, DJANGO_SETTINGS_MODULE="inspector.settings")
    result = subprocess.run(
        [sys.executable, "-c", QUEUE, names.LONG],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    assert result.returncode == 0, result.stderr


def latest(home: Path) -> tuple[str, str]:
    with closing(sqlite3.connect(home / "lucid.sqlite3", timeout=30)) as connection:
        row = connection.execute("SELECT status, error FROM inspector_run WHERE kind = 'compaction'").fetchone()
    return str(row[0]), str(row[1])


@contextmanager
def asking(home: Path, model: MessagesServer, hold: threading.Event, **more: str) -> Iterator[Server]:
    """A server whose worker waits for the second half of an answer."""
    model.answer(Say(SUMMARY, hold=hold))
    queue(home)
    options = {"ANTHROPIC_API_KEY": model.key, "ANTHROPIC_BASE_URL": model.url, **more}
    with serving(home, "--no-watch", **options) as server:
        wait_until(lambda: model.requests)
        try:
            yield server
        finally:
            hold.set()


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_what_is_paid_for_may_end(made: Path, tmp_path: Path, number: signal.Signals) -> None:
    home, hold = tmp_path / "home", threading.Event()
    shutil.copytree(made, home)
    with messages_server() as model, asking(home, model, hold) as server:
        server.process.send_signal(number)
        wait_until(lambda: server.says("Waiting up to 60 seconds for what a model is already paid for: Compaction ("))
        assert latest(home)[0] == "running"
        hold.set()
        assert server.process.wait(PATIENCE) == 0, "".join(server.lines)
        assert latest(home) == ("completed", ""), "".join(server.lines)
        assert model.left == 0, "somebody hung up on the model"
        assert server.helpers() == []


@pytest.mark.long
def test_told_a_second_time_it_ends_at_once(made: Path, tmp_path: Path) -> None:
    home, hold = tmp_path / "home", threading.Event()
    shutil.copytree(made, home)
    with messages_server() as model, asking(home, model, hold, LUCID_STOP_SECONDS="3600") as server:
        server.process.send_signal(signal.SIGINT)
        wait_until(lambda: server.says("Waiting up to 3,600 seconds"))
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(PATIENCE) == 0, "".join(server.lines)
        status, error = latest(home)
        assert (status, "Lucid was stopped while it ran" in error) == ("failed", True), "".join(server.lines)


@pytest.mark.long
def test_the_wait_has_an_end_that_can_be_set(made: Path, tmp_path: Path) -> None:
    home, hold = tmp_path / "home", threading.Event()
    shutil.copytree(made, home)
    with messages_server() as model, asking(home, model, hold, LUCID_STOP_SECONDS="2") as server:
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0, "".join(server.lines)
        assert server.says("Waiting up to 2 seconds")
        assert latest(home)[0] == "failed"
