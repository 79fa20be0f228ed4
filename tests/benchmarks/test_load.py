"""A short run of the whole: a real server, a few clients, an import beside them, and a few who mean harm."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from pathlib import Path

import pytest

from benchmarks.load.__main__ import Load, Plan, report
from benchmarks.load.clients import Answers, ask_all
from benchmarks.load.rude import Outcome, half_headers


@pytest.mark.long
def test_a_short_run_prints_one_row_for_each_thing_that_was_tried(tmp_path: Path) -> None:
    plan = Plan(size="one-mb", beside="one-mb", clients=4, seconds=3.0, attackers=10, attack_seconds=13.0, settle=1.0)
    load = Load(plan)
    load.measure(tmp_path)
    text = report(load)
    limit, readers, half, silent, body, capture, foreign, foreign_capture = load.lines
    assert limit.answers.rate > readers.answers.rate > 0, text
    assert not readers.answers.errors, text
    assert all(line.held and line.held[1].megabytes >= line.held[0].megabytes > 0 for line in load.lines[1:]), text
    ends = {line.what: dict(line.outcome.answers) for line in (half, silent, body, capture) if line.outcome}
    assert list(ends.values()) == [{"408": 10}, {"closed": 10}, {"403": 10}, {"403": 10}], text
    for flood in (foreign, foreign_capture):
        assert flood.outcome is not None
        assert not flood.outcome.held, text
        assert flood.outcome.sent < 4 * 400 * 1024 * 1024, text
    assert not any(line.answers.errors for line in load.lines), text
    assert text.count("beside an import") == 1


def test_a_server_that_refuses_is_counted_and_not_asked_without_end() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def refuse() -> None:
            while True:
                try:
                    listener.accept()[0].close()
                except OSError:
                    return

        threading.Thread(target=refuse, daemon=True).start()
        result = asyncio.run(ask_all(port, ["/"], clients=2, seconds=1.0))
        listener.shutdown(socket.SHUT_RDWR)
    assert not result.taken
    assert 2 <= result.errors.total() < 60


def test_a_server_that_lets_itself_be_held_is_seen_as_held() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        port, outcome = listener.getsockname()[1], Outcome()

        async def run() -> None:
            ends = time.perf_counter() + 0.5
            await asyncio.gather(*(half_headers(port, ends, outcome) for _ in range(5)))

        asyncio.run(run())
    assert outcome.held == 5


def test_percentiles_are_those_of_the_answers() -> None:
    request = Answers(seconds=10.0)
    for number in range(100):
        request.note("/", 200, 10, number / 100)
    request.note("/broken", 500, 10, 9.0)
    assert (request.at(0.5), request.at(0.95), request.at(1.0)) == (0.5, 0.95, 0.99)
    assert (request.requests, dict(request.errors), request.rate) == (101, {"500 /broken": 1}, 10.0)
