"""Runs on real workers: the one inside `lucid serve`, and several on Redis."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from tests.archives import large_archive
from tests.postgres.running import fresh_database
from tests.posting import post
from tests.servers import free_port, redis_server
from tests.serving import Server, fair, lucid, serving, wait_until, worker

LONG = 400_000
"""Blocks; reading them takes longer than any test looks."""


@pytest.fixture
def home(ready_home: Path) -> Path:
    return ready_home


def runs(home: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(home / "lucid.sqlite3", timeout=30)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute("SELECT * FROM inspector_run ORDER BY id")]


def status(home: Path, number: int = -1) -> str:
    return str(runs(home)[number]["status"])


def start(server: Server) -> int:
    answer = post(server, "/runs/start/", kind="check archive")
    assert answer.status == 303, answer.body
    return int(str(answer.headers["Location"]).split("/")[2])


def warm(server: Server) -> None:
    """One run to its end, after which the worker is known to be there."""
    start(server)
    wait_until(lambda: status(server.home) == "completed")


def test_a_click_starts_work_within_a_second_and_kill_ends_it_within_two(home: Path) -> None:
    with serving(home, "--no-watch") as server:
        warm(server)
        large_archive(home / "lucid.sqlite3", LONG)
        clicked = time.time() * 1000
        run_id = start(server)
        wait_until(lambda: status(home) == "running")
        assert runs(home)[-1]["started_at"] - clicked < fair(1000)
        wait_until(lambda: runs(home)[-1]["done"] > 0)
        page = server.get(f"/runs/{run_id}/").body.decode()
        assert "reading blocks" in page
        assert 'hx-trigger="every 1s"' in page
        request = time.time() * 1000
        assert post(server, f"/runs/{run_id}/kill/", page=f"/runs/{run_id}/").status == 303
        wait_until(lambda: status(home) == "killed")
        assert runs(home)[-1]["finished_at"] - request < fair(2000)
        assert "nothing is half-written" in server.get(f"/runs/{run_id}/").body.decode()


def test_what_is_queued_runs_after_a_restart(home: Path) -> None:
    with serving(home, "--no-watch", LUCID_WORKER="off") as server:
        start(server)
        time.sleep(0.5)
        assert status(home) == "queued"
        server.stop(signal.SIGKILL)
    with serving(home, "--no-watch"):
        wait_until(lambda: status(home) == "completed")
    assert len(runs(home)) == 1


def test_a_run_that_a_stop_of_the_server_cut_off_says_so_and_can_be_retried(home: Path) -> None:
    large_archive(home / "lucid.sqlite3", LONG)
    with serving(home, "--no-watch") as server:
        start(server)
        wait_until(lambda: status(home) == "running")
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < fair(4)
    assert status(home) == "failed"
    assert "Lucid was stopped while it ran" in runs(home)[-1]["error"]
    with serving(home, "--no-watch") as server:
        second = post(server, f"/runs/{runs(home)[-1]['id']}/retry/")
        assert second.status == 303
        wait_until(lambda: status(home) == "running")
        assert runs(home)[-1]["attempt"] == 2


def test_a_run_whose_worker_was_killed_fails(home: Path) -> None:
    large_archive(home / "lucid.sqlite3", LONG)
    with serving(home, "--no-watch") as server:
        start(server)
        wait_until(lambda: status(home) == "running")
        (worker,) = server.helpers()
        os.kill(worker, signal.SIGKILL)
        wait_until(lambda: status(home) == "failed")
    assert runs(home)[-1]["reason"] == "its worker process ended"


def owner(home: Path) -> int:
    """The number of the process that works on the latest run."""
    return int(str(runs(home)[-1]["worker"]).partition("-")[0])


def test_on_redis_a_killed_worker_loses_its_run_and_another_retries_it(home: Path, redis_url: str) -> None:
    large_archive(home / "lucid.sqlite3", LONG)
    options = {"LUCID_WORKER": "off", "REDIS_URL": redis_url}
    with (
        serving(home, "--no-watch", **options) as server,
        worker(home, redis_url) as item,
        worker(home, redis_url) as other,
    ):
        lost = start(server)
        wait_until(lambda: status(home) == "running" and runs(home)[-1]["done"] > 0)
        victim = item if owner(home) == item.pid else other
        victim.kill()
        wait_until(lambda: status(home) == "failed")
        assert runs(home)[-1]["reason"] == "its worker process ended"
        assert post(server, f"/runs/{lost}/retry/").status == 303
        wait_until(lambda: status(home) == "running")
        assert owner(home) == (other if victim is item else item).pid
        post(server, f"/runs/{runs(home)[-1]['id']}/kill/")
        wait_until(lambda: status(home) == "killed")
        assert runs(home)[-1]["finished_at"] - runs(home)[-1]["kill_requested_at"] < fair(2000)
    assert [run["status"] for run in runs(home)] == ["failed", "killed"]


def test_on_redis_two_workers_share_the_runs_and_do_each_once(home: Path, redis_url: str) -> None:
    with serving(home, "--no-watch", LUCID_WORKER="off", REDIS_URL=redis_url) as server:
        first = start(server)
        with worker(home, redis_url), worker(home, redis_url):
            wait_until(lambda: status(home) == "completed")
            for number in range(2, 6):
                post(server, f"/runs/{first}/retry/", page=f"/runs/{first}/")
                wait_until(lambda number=number: [run["status"] for run in runs(home)] == ["completed"] * number)  # type: ignore[misc]


def test_the_command_says_what_is_damaged(home: Path) -> None:
    large_archive(home / "lucid.sqlite3", 50)
    sound = lucid(home, "check", "--json")
    assert sound.returncode == 0, sound.stderr
    assert json.loads(sound.stdout)["blocks"] == 50
    assert status(home) == "completed"


def test_the_command_fails_when_something_is(home: Path) -> None:
    large_archive(home / "lucid.sqlite3", 50, broken=True)
    damaged = lucid(home, "check")
    assert damaged.returncode == 1
    assert "1 file is damaged in the archive" in damaged.stdout
    assert "/elsewhere/large.txt: block 49" in damaged.stdout


def test_while_redis_is_away_a_run_waits_and_starts_when_it_is_back(home: Path, tmp_path: Path) -> None:
    port = free_port()
    url = f"redis://127.0.0.1:{port}/0"
    with serving(home, "--no-watch", REDIS_URL=url) as server:
        start(server)
        assert (status(home), runs(home)[-1]["queued_at"]) == ("queued", None)
        with redis_server(tmp_path, port):
            wait_until(lambda: status(home) == "completed")
        assert server.get("/runs/").status == 200


@pytest.mark.long
def test_a_run_goes_on_while_redis_is_restarted_and_its_worker_takes_the_next(home: Path, tmp_path: Path) -> None:
    port = free_port()
    url = f"redis://127.0.0.1:{port}/0"
    with ExitStack() as stack:
        redis = stack.enter_context(ExitStack())
        redis.enter_context(redis_server(tmp_path, port))
        server = stack.enter_context(serving(home, "--no-watch", REDIS_URL=url))
        warm(server)
        large_archive(home / "lucid.sqlite3", LONG)
        run_id = start(server)
        wait_until(lambda: status(home) == "running" and runs(home)[-1]["done"] > 0)
        redis.close()
        before = runs(home)[-1]["done"]
        wait_until(lambda: runs(home)[-1]["done"] > before)
        stack.enter_context(redis_server(tmp_path, port))
        assert status(home) == "running"
        post(server, f"/runs/{run_id}/kill/", page=f"/runs/{run_id}/")
        wait_until(lambda: status(home) == "killed")
        start(server)
        wait_until(lambda: status(home) == "running")
        post(server, f"/runs/{runs(home)[-1]['id']}/kill/")
        wait_until(lambda: status(home) == "killed")
        assert "Traceback" not in "".join(server.lines), "".join(server.lines)


@pytest.mark.long
def test_on_postgresql_a_check_runs_to_its_end(home: Path, postgres_url: str) -> None:
    with serving(home, "--demo", DATABASE_URL=fresh_database(postgres_url)) as server:
        wait_until(
            lambda: server.get("/import/").headers["HX-Trigger"] == "imported" and b"tidewatch" in server.get("/").body
        )
        run_id = start(server)
        wait_until(lambda: b"The archive is sound" in server.get(f"/runs/{run_id}/").body)
        assert b"completed" in server.get("/runs/?kind=import").body
