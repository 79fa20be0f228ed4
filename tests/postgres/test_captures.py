"""Captured requests in PostgreSQL: the same answers, whatever characters they hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inspector.capture.spool import Spool
from tests.postgres.running import fresh_database
from tests.serving import lucid
from tests.sessions.capturing import MARK, exchange, message, request


def test_both_databases_give_back_what_was_captured(tmp_path: Path, postgres_url: str) -> None:
    block = {"type": "text", "text": "plain ü", "cache_control": MARK}
    bodies = [
        request({"role": "user", "content": [block]}, system="You watch tides.", tools=[{"b": 1, "a": 2}]),
        request({"role": "user", "content": "a\0b \ud800"}, note="a\0b"),
    ]
    exchanges = [exchange(body, message(f"msg_{number}")) for number, body in enumerate(bodies)]

    def shown(home: Path, **more: str) -> list[Any]:
        spool = Spool(home / "captures")
        for one in exchanges:
            spool.write(one)
        found = []
        for arguments in (("list",), ("show", "msg_0"), ("show", "msg_1")):
            done = lucid(home, "capture", *arguments, "--json", **more)
            assert done.returncode == 0, done.stderr
            found.append(json.loads(done.stdout))
        assert spool.waiting().files == 0
        return found

    here, there = shown(tmp_path / "sqlite"), shown(tmp_path / "postgres", DATABASE_URL=fresh_database(postgres_url))
    assert here[:2] == there[:2]
    assert here[1]["request"] == bodies[0]
    assert here[2]["request"]["messages"] == there[2]["request"]["messages"] == bodies[1]["messages"]
    assert there[2]["request"]["note"] == "a\ufffdb"
