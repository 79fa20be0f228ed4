"""Runs on two hosts with one database: whatever becomes of a worker, of the database or of Redis, nothing is under way
for ever, nothing is done twice, and a kill works from everywhere."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.postgres.running import fresh_database, rows
from tests.postgres.test_two_servers import HOLD, hears, script
from tests.posting import post
from tests.servers import free_port, postgres_server, redis_server, stop_postgres
from tests.serving import ROOT, environment, lucid, serving, wait_until, worker


class Other:
    """A process with a home of its own."""

    def __init__(self, home: Path, database: str, *arguments: str) -> None:
        names = {"DATABASE_URL": database, "LUCID_HOST": home.name, "DJANGO_SETTINGS_MODULE": "inspector.settings"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.postgres.working", *arguments],
            cwd=ROOT,
            env=environment(home, **names),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def hear(self) -> str:
        assert self.process.stdout is not None
        text = self.process.stdout.readline().strip()
        assert text, self.process.communicate(timeout=60)[1]
        return text

    def tell(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.process.pid, number)


@contextmanager
def others(home: Path, database: str, *arguments: str) -> Iterator[Other]:
    other = Other(home, database, *arguments)
    try:
        yield other
    finally:
        other.process.kill()
        other.process.communicate(timeout=60)


@pytest.fixture
def database(tmp_path: Path, postgres_url: str) -> str:
    return migrated(tmp_path, fresh_database(postgres_url))


def migrated(folder: Path, database: str) -> str:
    result = lucid(folder / "made", "migrate", "--verbosity", "0", DATABASE_URL=database)
    assert result.returncode == 0, result.stderr
    return database


def run(database: str, run_id: int) -> dict[str, Any]:
    names = "status, worker, heartbeat_at, summary, error, reason"
    with psycopg.connect(database) as connection:
        row = connection.execute(f"SELECT {names} FROM inspector_run WHERE id = {run_id}").fetchone()
    assert row is not None
    return dict(zip(names.split(", "), row, strict=True))


def begun(other: Other) -> int:
    text = other.hear()
    assert text.startswith("working "), text
    return int(text.split()[1])


def test_a_run_is_killed_from_another_host(tmp_path: Path, database: str) -> None:
    with others(tmp_path / "first", database, "perform") as first:
        run_id = begun(first)
        with others(tmp_path / "second", database, "kill", str(run_id)) as second:
            assert (second.hear(), second.hear()) == ("killed True", "killed")
        assert first.hear() == "ended"
    assert run(database, run_id)["reason"] == "", "the worker itself has obeyed"
    assert not (tmp_path / "second" / "kills").exists()


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL])
def test_a_kill_ends_a_run_whose_worker_hangs_or_is_gone(tmp_path: Path, database: str, number: signal.Signals) -> None:
    with others(tmp_path / "first", database, "perform") as first:
        run_id = begun(first)
        first.signal(number)
        with others(tmp_path / "second", database, "kill", str(run_id)) as second:
            assert (second.hear(), second.hear()) == ("killed True", "killed")
        left = run(database, run_id)
        assert left["reason"] == "its worker gave no sign of life after the kill"
        if number == signal.SIGSTOP:
            first.signal(signal.SIGCONT)
            assert first.hear() == "ended", "it has heard that the run is not its own any more"
            assert run(database, run_id) == left, "it has not overwritten what others wrote"


def test_an_import_of_one_host_is_killed_from_another(tmp_path: Path, database: str) -> None:
    holder = script(HOLD, tmp_path / "made", database, "import")
    hears(holder, "held")
    (tmp_path / "config").mkdir()
    with others(tmp_path / "first", database, "import", str(tmp_path / "config")) as first:
        assert first.hear() == "ready"
        text = "SELECT id FROM inspector_run WHERE kind = 'import' AND status = 'running'"
        wait_until(lambda: rows(database, text))
        ((run_id,),) = rows(database, text)
        with others(tmp_path / "second", database, "kill", str(run_id)) as second:
            assert (second.hear(), second.hear()) == ("killed True", "killed")
        assert first.hear() == "stopped"
    assert run(database, run_id)["reason"] == "", "the import itself has obeyed"
    holder.communicate("go\n", timeout=60)


def test_a_run_outlives_a_restart_of_the_database_and_can_still_be_killed(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="lucid-postgres-") as folder, ExitStack() as stack:
        data, port = Path(folder), free_port()
        url = migrated(tmp_path, stack.enter_context(postgres_server(data, port)))
        first = stack.enter_context(others(tmp_path / "first", url, "perform"))
        run_id = begun(first)
        stop_postgres(data, port)
        stack.enter_context(postgres_server(data, port))
        stack.callback(stop_postgres, data, port)
        before = run(url, run_id)["heartbeat_at"]
        wait_until(lambda: run(url, run_id)["heartbeat_at"] != before)
        assert run(url, run_id)["status"] == "running"
        second = stack.enter_context(others(tmp_path / "second", url, "kill", str(run_id)))
        assert (second.hear(), second.hear()) == ("killed True", "killed")
        assert run(url, run_id)["reason"] == "", "the worker itself has obeyed"


def test_what_became_of_a_run_while_the_database_was_away_is_written_when_it_is_back(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="lucid-postgres-") as folder, ExitStack() as stack:
        data, port = Path(folder), free_port()
        url = migrated(tmp_path, stack.enter_context(postgres_server(data, port)))
        first = stack.enter_context(others(tmp_path / "first", url, "perform"))
        run_id = begun(first)
        stop_postgres(data, port)
        first.tell()
        stack.enter_context(postgres_server(data, port))
        stack.callback(stop_postgres, data, port)
        assert first.hear() == "ended"
        assert (run(url, run_id)["status"], run(url, run_id)["summary"]) == ("completed", "Done.")


def test_of_a_single_kind_two_hosts_queue_one(tmp_path: Path, database: str) -> None:
    with (
        others(tmp_path / "first", database, "create", "10") as first,
        others(tmp_path / "second", database, "create", "10") as second,
    ):
        assert (first.hear(), second.hear()) == ("ready", "ready")
        first.tell()
        second.tell()
        assert first.hear() == second.hear()
    assert rows(database, "SELECT count(*) FROM inspector_run") == [(1,)]


def test_of_two_hosts_one_does_what_is_due(tmp_path: Path, database: str) -> None:
    with (
        others(tmp_path / "first", database, "claim", "20") as first,
        others(tmp_path / "second", database, "claim", "20") as second,
    ):
        assert (first.hear(), second.hear()) == ("ready", "ready")
        first.tell()
        second.tell()
        assert sorted([first.hear(), second.hear()]) == ["0", "1"]


def test_two_hosts_see_the_workers_of_each_other(tmp_path: Path, database: str) -> None:
    with (
        others(tmp_path / "first", database, "present") as first,
        others(tmp_path / "second", database, "present") as second,
    ):
        assert (first.hear(), second.hear()) == ("ready", "ready")
        wait_until(lambda: rows(database, "SELECT count(*) FROM inspector_worker") == [(2,)])
        first.tell()
        pids = first.process.pid, second.process.pid
        assert first.hear() == f"here:{pids[0]}:True second:{pids[1]}:True"
        first.process.wait(60)
        wait_until(lambda: rows(database, "SELECT count(*) FROM inspector_worker") == [(1,)])
        second.tell()
        assert second.hear() == f"here:{pids[1]}:True"


def start(server: Any) -> int:
    answer = post(server, "/runs/start/", kind="check archive")
    assert answer.status == 303, answer.body
    return int(str(answer.headers["Location"]).split("/")[2])


def test_workers_and_pages_go_on_after_a_restart_of_the_database(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="lucid-postgres-") as folder, ExitStack() as stack:
        data, port = Path(folder), free_port()
        url = stack.enter_context(postgres_server(data, port))
        server = stack.enter_context(serving(tmp_path / "home", DATABASE_URL=url))
        first = start(server)
        wait_until(lambda: run(url, first)["status"] == "completed")
        stop_postgres(data, port)
        assert server.get("/runs/").status == 503
        wait_until(lambda: server.get("/health/").status == 503)
        assert b"cannot be written to" in server.get("/health/").body
        stack.enter_context(postgres_server(data, port))
        stack.callback(stop_postgres, data, port)
        assert server.get("/runs/").status == 200
        second = start(server)
        wait_until(lambda: run(url, second)["status"] == "completed")
        wait_until(lambda: server.get("/health/").status == 200)
        assert "Traceback" not in "".join(server.lines), "".join(server.lines)


def test_what_redis_has_forgotten_is_queued_again(tmp_path: Path, database: str) -> None:
    with tempfile.TemporaryDirectory(prefix="lucid-redis-") as folder, ExitStack() as stack:
        port = free_port()
        home, options = tmp_path / "home", {"DATABASE_URL": database, "LUCID_WORKER": "off"}
        url = f"redis://127.0.0.1:{port}/0"
        with redis_server(Path(folder), port):
            server = stack.enter_context(serving(home, "--no-watch", REDIS_URL=url, **options))
            run_id = start(server)
        # It keeps nothing on disk.
        stack.enter_context(redis_server(Path(folder), port))
        stack.enter_context(worker(home, url, DATABASE_URL=database))
        wait_until(lambda: run(database, run_id)["status"] == "completed")
