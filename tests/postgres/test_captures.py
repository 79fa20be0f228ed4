"""Captured requests in PostgreSQL: the same answers, whatever characters they hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sessions.capture.endpoint.spool import Spool
from tests.postgres.running import fresh_database
from tests.serving import lucid
from tests.sessions.capture.capturing import MARK, exchange, message, request


def test_both_databases_give_back_what_was_captured(tmp_path: Path, postgres_url: str) -> None:
    block = {"type": "text", "text": "plain ü", "cache_control": MARK}
    bodies = [
        request({"role": "user", "content": [block]}, system="You watch tides.", tools=[{"b": 1, "a": 2}]),
        request({"role": "user", "content": "a\0b \ud800"}, note="a\0b"),
    ]
    exchanges = [exchange(body, message(f"msg_{number}")) for number, body in enumerate(bodies)]

    def shown(home: Path, **more: str) -> list[Any]:
        spool = Spool(home / "captures")
        for item in exchanges:
            spool.write(item)
        results = []
        for arguments in (("list",), ("show", "msg_0"), ("show", "msg_1")):
            done = lucid(home, "capture", *arguments, "--json", **more)
            assert done.returncode == 0, done.stderr
            results.append(json.loads(done.stdout))
        assert spool.waiting().files == 0
        return results

    here, there = shown(tmp_path / "sqlite"), shown(tmp_path / "postgres", DATABASE_URL=fresh_database(postgres_url))
    assert here[:2] == there[:2]
    assert here[1]["request"] == bodies[0]
    assert here[2]["request"]["messages"] == there[2]["request"]["messages"] == bodies[1]["messages"]
    assert there[2]["request"]["note"] == "a\ufffdb"


def test_what_was_recorded_on_a_host_is_stored_by_that_host_and_shown_on_all(tmp_path: Path, postgres_url: str) -> None:
    database = fresh_database(postgres_url)
    here, there = tmp_path / "here", tmp_path / "there"
    spools = {home: Spool(home / "captures") for home in (here, there)}

    def listed(home: Path) -> list[str]:
        done = lucid(home, "capture", "list", "--json", DATABASE_URL=database, LUCID_HOST=home.name)
        assert done.returncode == 0, done.stderr
        return sorted(item["message_id"] for item in json.loads(done.stdout))

    for number, spool in enumerate(spools.values()):
        spool.write(exchange(request({"role": "user", "content": "When is high water?"}), message(f"msg_{number}")))
    assert listed(here) == ["msg_0"]
    assert [spool.waiting().files for spool in spools.values()] == [0, 1]
    assert listed(there) == listed(here) == ["msg_0", "msg_1"]
    # The same recording in two homes, as after a copy of one: known by its name, and stored once.
    second = exchange(request({"role": "user", "content": "And low water?"}), message("msg_2"))
    for spool in spools.values():
        spool.write(second)
    assert listed(here) == listed(there) == ["msg_0", "msg_1", "msg_2"]
    assert [spool.waiting().files for spool in spools.values()] == [0, 0]
