"""`/health/` of a real server, while something that pages need is missing."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from tests.inspector.test_database_trouble import held
from tests.servers import free_port, redis_server
from tests.serving import Server, serving, wait_until

pytestmark = pytest.mark.usefixtures("ready_home")


def health(server: Server) -> tuple[int, dict[str, Any]]:
    answer = server.get("/health/")
    data: dict[str, Any] = json.loads(answer.body)
    return answer.status, data


def well(server: Server) -> bool:
    return health(server)[0] == 200


def written(home: Path) -> list[tuple[str, int]]:
    with closing(sqlite3.connect(home / "lucid.sqlite3", timeout=30)) as connection:
        return connection.execute("SELECT name, at FROM inspector_moment").fetchall()


def test_a_database_that_is_held_and_a_worker_that_hangs_are_reasons(tmp_path: Path) -> None:
    with serving(tmp_path / "home", "--no-watch") as server:
        wait_until(lambda: b"process" in server.get("/runs/").body)
        wait_until(lambda: well(server))
        with held(server.home / "lucid.sqlite3"):
            wait_until(lambda: not well(server))
            status, result = health(server)
            assert (status, result["status"], result["database"]) == (503, "unwell", "unwritable")
            assert result["reasons"][0].startswith("the database cannot be written to: held")
            stranger = server.ask("/health/")
            assert (stranger.status, json.loads(stranger.body)) == (503, {"status": "unwell"})
        wait_until(lambda: well(server))
        (worker,) = server.helpers()
        os.kill(worker, signal.SIGSTOP)
        wait_until(lambda: not well(server))
        assert "no worker answers" in health(server)[1]["reasons"][0]
        os.kill(worker, signal.SIGCONT)
        wait_until(lambda: well(server))
        before = written(server.home)
        wait_until(lambda: well(server) and written(server.home) != before)
        assert [name for name, _ in written(server.home)].count("health") == 1, "nothing grows"


def test_a_database_that_our_own_import_writes_to_is_well_as_long_as_the_import_gets_on(tmp_path: Path) -> None:
    with serving(tmp_path / "home", "--no-watch", LUCID_WORKER="off") as server:
        wait_until(lambda: well(server))
        database = server.home / "lucid.sqlite3"
        journal = server.home / "lucid.sqlite3-wal"
        with held(database), (server.home / "import.lock").open("w") as lock:
            os.utime(journal, (0, 0))
            fcntl.flock(lock, fcntl.LOCK_EX)
            wait_until(lambda: not well(server))

            def well_after_a_write() -> bool:
                os.utime(journal)
                return well(server)

            wait_until(well_after_a_write)
            fcntl.flock(lock, fcntl.LOCK_UN)
            wait_until(lambda: not well_after_a_write())


@pytest.mark.long
def test_redis_that_is_dead_is_a_reason(tmp_path: Path) -> None:
    port = free_port()
    url = f"redis://127.0.0.1:{port}/0"
    with tempfile.TemporaryDirectory(prefix="lucid-redis-") as folder:
        with redis_server(Path(folder), port), serving(tmp_path / "home", "--no-watch", REDIS_URL=url) as server:
            wait_until(lambda: well(server))
            pid = int(Redis.from_url(url).info()["process_id"])
            os.kill(pid, signal.SIGSTOP)  # it holds the port and says nothing
            wait_until(lambda: not well(server))
            assert health(server)[1]["reasons"][0].startswith("the queue ")
            os.kill(pid, signal.SIGCONT)
            wait_until(lambda: well(server))
            server.stop()
        with serving(tmp_path / "home", "--no-watch", REDIS_URL=url) as server:
            wait_until(lambda: b"the queue cannot be used: " in server.get("/health/").body)
            status, result = health(server)
            assert (status, result["database"], len(result["reasons"])) == (503, "ok", 1)
