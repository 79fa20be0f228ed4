"""Servers: two Lucids that import into one PostgreSQL at once, and a database and a broker that go away during runs."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import psycopg

from tests.faults.table import Row, Tell
from tests.faults.tree import write_sessions
from tests.posting import post
from tests.servers import free_port, postgres_server, redis_server
from tests.serving import ROOT, Server, environment, lucid, serving

SESSIONS, TURNS = 6, 200
ENTRIES = SESSIONS * TURNS * 4
SECONDS = 150.0


def two_importers(url: str, folder: Path, *, tell: Tell = print) -> Row:
    """`url`: of an empty database."""
    row = Row("two servers at once", "import", "PostgreSQL", "two homes, two hosts, one tree")
    config = folder / "config"
    write_sessions(config, sessions=SESSIONS, turns=TURNS)
    both = [_importer(url, folder / name, config) for name in ("one", "two")]
    wrong = [sentence for process in both for sentence in _ended(process)]
    row.add(told=False, lost=wrong + _stored(url, folder / "one", ENTRIES), tell=tell)
    return row


def own_trees(url: str, folder: Path, *, kills: int, seed: int, tell: Tell = print) -> Row:
    """`url`: of an empty database. Two hosts import what they have for themselves; one of them is killed again and
    again, the other goes on, and both trees grow."""
    row = Row("kill -9 of one of two hosts", "imports of both", "PostgreSQL", "two trees; the other host goes on")
    chance = random.Random(seed)
    trees = {name: folder / f"tree-{name}" for name in ("one", "two")}
    for number in range(1, kills + 1):
        for place, tree in enumerate(trees.values()):
            write_sessions(tree, sessions=SESSIONS, turns=TURNS * number, first=place * SESSIONS)
        first, second = (_importer(url, folder / name, tree) for name, tree in trees.items())
        try:
            first.wait(chance.uniform(0.5, 4.0))
        except subprocess.TimeoutExpired:
            first.kill()
        first.communicate(timeout=SECONDS)
        row.add(told=first.returncode != 0, lost=_ended(second), tell=tell)
    wrong = [sentence for name, tree in trees.items() for sentence in _ended(_importer(url, folder / name, tree))]
    row.add(told=False, lost=wrong + _stored(url, folder / "one", 2 * kills * ENTRIES), tell=tell)
    return row


def _importer(url: str, home: Path, config: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "inspector", "import", "--json"],
        cwd=ROOT,
        env=environment(home, LUCID_HOST=home.name, DATABASE_URL=url, CLAUDE_CONFIG_DIR=str(config)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _ended(process: subprocess.Popen[str]) -> list[str]:
    words = process.communicate(timeout=2 * SECONDS)[0]
    return [] if process.returncode == 0 else [f"an import failed: {words[-500:]}"]


def _stored(url: str, home: Path, expected: int) -> list[str]:
    checked = json.loads(lucid(home, "check", "--json", DATABASE_URL=url).stdout)
    sessions = json.loads(lucid(home, "sessions", "--json", DATABASE_URL=url).stdout)
    entries = sum(session["entries"] for session in sessions)
    if checked["damaged"] or checked["doubles"] or entries != expected:
        text = f"damaged: {checked['damaged']}, doubles: {checked['doubles']}"
        return [f"{entries} entries instead of {expected}; {text}"]
    return []


def restarts(*, count: int, tell: Tell = print) -> Row:
    """The database and the broker end and come back in turns, each time while a run is under way."""
    row = Row(
        "the database or the broker restarts", "runs of a server", "PostgreSQL, Redis", "wait, then a new run ends"
    )
    ports = free_port(), free_port()
    with ExitStack() as stack:
        data, queue, folder = (
            Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lucid-restart-"))) for _ in range(3)
        )
        database, broker = stack.enter_context(ExitStack()), stack.enter_context(ExitStack())
        url = database.enter_context(postgres_server(data, ports[0]))
        redis_url = broker.enter_context(redis_server(queue, ports[1]))
        config = folder / "config"
        write_sessions(config, sessions=SESSIONS, turns=TURNS)
        env = {"DATABASE_URL": url, "REDIS_URL": redis_url, "CLAUDE_CONFIG_DIR": str(config)}
        with serving(folder / "home", **env) as server:
            row.add(told=False, lost=_recovered(server, url, "it"), tell=tell)
            for number in range(count):
                post(server, "/runs/start/", kind="check archive")
                if number % 2:
                    broker.close()
                    time.sleep(1)
                    broker.enter_context(redis_server(queue, ports[1]))
                else:
                    _stop_at_once(data)
                    database.close()
                    database.enter_context(postgres_server(data, ports[0]))
                row.add(
                    told=True, lost=_recovered(server, url, "the broker" if number % 2 else "the database"), tell=tell
                )
        wrong = [] if lucid(folder / "home", "check", **env).returncode == 0 else ["the archive is not sound"]
        row.add(told=False, lost=wrong, tell=tell)
    return row


def _stop_at_once(data: Path) -> None:
    """As `pg_ctl -m immediate`: connections are cut, and the next start recovers from its log."""
    pid = int((data / "data" / "postmaster.pid").read_text().split()[0])
    os.kill(pid, signal.SIGQUIT)


def _recovered(server: Server, url: str, what: str) -> list[str]:
    """Every run that was under way comes to an end, and a new one completes."""
    end = time.monotonic() + SECONDS
    last = request = 0
    state = ""
    while time.monotonic() < end:
        time.sleep(1)
        try:
            active, newest, completed = _runs(url)
        except psycopg.OperationalError as error:
            state = str(error)
            continue
        state = f"{active} under way, run {completed} completed, health {server.get('/health/').status}"
        if not request and server.get("/runs/").status == 200:
            last, request = newest, post(server, "/runs/start/", kind="check archive").status
            continue
        if request and completed > last and not active and server.get("/health/").status == 200:
            return []
        if request and not active and completed <= last:
            request = 0  # it was led to one that was lost
    return [f"{SECONDS:.0f} s after {what} came back: {state}"]


def _runs(url: str) -> tuple[int, int, int]:
    sql = (
        "SELECT count(*) FILTER (WHERE status IN ('queued', 'running')), coalesce(max(id), 0),"
        " coalesce(max(id) FILTER (WHERE kind = 'check archive' AND status = 'completed'), 0) FROM inspector_run"
    )
    with psycopg.connect(url, connect_timeout=5) as connection:
        row = connection.execute(sql).fetchone()
    assert row is not None
    return row[0], row[1], row[2]
