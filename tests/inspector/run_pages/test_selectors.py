from __future__ import annotations

from typing import Any

import pytest

from inspector.runs.models import Run
from inspector.runs.selectors.lists import active_runs
from sessions.imports.selectors import import_state

pytestmark = pytest.mark.django_db

NOW = 1_760_000_000_000


def run(**fields: Any) -> Run:
    progress = {"files": 3, "files_total": 10, "bytes": 2_000_000, "bytes_total": 8_000_000, "entries": 500}
    given = {"kind": "import", "status": "running", "progress": progress, "created_at": NOW - 3000}
    return Run.objects.create(**{**given, "started_at": NOW - 2000, "heartbeat_at": NOW - 100, **fields})


def test_without_an_import_there_is_no_state() -> None:
    run(kind="dream")
    assert import_state(NOW) is None


def test_rate_and_remaining_time_follow_from_what_was_done_since_the_start() -> None:
    run()
    state = import_state(NOW)
    assert state is not None
    assert (state.rate, state.remaining, state.percent) == (1_000_000, 6.0, 25)


def test_no_part_of_a_second_is_foretold() -> None:
    run(progress={"bytes": 7_990_000, "bytes_total": 8_000_000})
    state = import_state(NOW)
    assert state is not None
    assert state.remaining_ms == 1000


def test_the_latest_import_counts() -> None:
    run(status="failed", error="disk full", created_at=NOW - 9000)
    run(status="completed", finished_at=NOW)
    state = import_state(NOW)
    assert state is not None
    assert state.status == "completed"


def test_before_anything_is_done_nothing_is_foretold() -> None:
    run(progress={}, status="queued", started_at=None)
    state = import_state(NOW)
    assert state is not None
    assert (state.rate, state.remaining, state.percent, state.active) == (None, None, 0, True)


def test_a_run_that_fell_silent_is_not_shown_as_running_for_ever() -> None:
    run(heartbeat_at=NOW - 61_000)
    state = import_state(NOW)
    assert state is not None
    assert state.status == "lost"
    assert active_runs(NOW) == []


def test_queued_and_running_runs_are_under_way() -> None:
    running, queued = run(), run(kind="dream", status="queued", created_at=NOW)
    run(status="completed")
    assert active_runs(NOW) == [queued, running]


def test_progress_that_holds_no_numbers_is_zero() -> None:
    run(progress={"files": "three", "bytes": None})
    state = import_state(NOW)
    assert state is not None
    assert (state.files, state.bytes) == (0, 0)


def test_when_all_can_be_read_the_words_that_are_indexed_count() -> None:
    progress = {"files": 9, "files_total": 9, "bytes": 8, "bytes_total": 8, "entries": 400, "indexed": 100}
    run(phase="indexing", progress=progress)
    state = import_state(NOW)
    assert state is not None
    assert (state.readable, state.percent) == (True, 25)
