from __future__ import annotations

import json
from typing import Any

from compaction.mechanisms.engine.collapse import (
    CollapseState,
    Commit,
    StagedSpan,
    commit_record,
    from_records,
    snapshot_record,
    to_records,
)

COMMIT = Commit("c0ffee", "s", "what happened", "first", "last")
STATE = CollapseState((COMMIT,), (StagedSpan("a", "b", 5_000, 0.75, "ready"),), True, 140_000)


def test_a_commit_has_the_keys_of_its_record() -> None:
    assert commit_record(COMMIT, "session") == {
        "type": "marble-origami-commit",
        "sessionId": "session",
        "collapseId": "c0ffee",
        "summaryUuid": "s",
        "summaryContent": "what happened",
        "firstArchivedUuid": "first",
        "lastArchivedUuid": "last",
    }


def test_a_snapshot_has_spans_armed_and_the_tokens_of_the_last_spawn() -> None:
    record = snapshot_record(STATE, "session")
    assert record["type"] == "marble-origami-snapshot"
    assert (record["armed"], record["lastSpawnTokens"], len(record["staged"])) == (True, 140_000, 1)


def test_what_is_written_is_read_again() -> None:
    assert from_records(json.loads(json.dumps(to_records(STATE, "session")))) == STATE
    assert CollapseState.from_json(json.loads(json.dumps(STATE.to_json()))) == STATE


def test_commits_accumulate_and_the_last_snapshot_counts() -> None:
    other = Commit("decade", "t", "more", "x", "y")
    old = snapshot_record(CollapseState(armed=False, last_spawn_tokens=1), "session")
    records = [
        old,
        commit_record(COMMIT, "session"),
        snapshot_record(STATE, "session"),
        commit_record(other, "session"),
    ]
    state = from_records(records)
    assert state.commits == (COMMIT, other)
    assert state.last_spawn_tokens == 140_000


def test_a_reset_forgets_what_came_before_it() -> None:
    assert from_records([*to_records(STATE, "session"), {"type": "marble-origami-reset"}]) == CollapseState()


def test_damaged_records_are_passed_over() -> None:
    records: list[dict[str, Any]] = [
        {"type": "marble-origami-commit", "collapseId": 5},
        {"type": "marble-origami-snapshot", "staged": [1, {"firstUuid": 2}], "armed": "yes", "lastSpawnTokens": None},
        {"type": "user"},
    ]
    assert from_records(records) == CollapseState()
