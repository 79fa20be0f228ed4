"""The same program on PostgreSQL and on Redis."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.inspector.test_queue import done, put
from tests.serving import lucid, serving, wait_until


def test_it_serves_from_postgresql(tmp_path: Path, postgres_url: str) -> None:
    home = tmp_path / "home"
    with serving(home, "--no-watch", LUCID_WORKER="off", DATABASE_URL=postgres_url) as server:
        answer = json.loads(server.get("/health/").body)
    assert (answer["status"], answer["database"]) == ("ok", "ok")
    assert not (home / "lucid.sqlite3").exists()
    second = lucid(home, "migrate", "--check", DATABASE_URL=postgres_url)
    assert second.returncode == 0, second.stderr


@pytest.mark.usefixtures("ready_home")
def test_its_worker_takes_tasks_from_redis(tmp_path: Path, redis_url: str) -> None:
    with serving(tmp_path / "home", "--no-watch", REDIS_URL=redis_url) as server:
        put(server.home, redis_url)
        wait_until(lambda: (server.home / "logs" / "lucid.log").exists() and done(server))
        assert server.stop() == 0
        assert server.helpers() == []
