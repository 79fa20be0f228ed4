"""Collapses as records of the transcript: commits are appended, the last snapshot counts, a reset discards both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from compaction.mechanisms.engine.collapse.state import CollapseState, Commit, StagedSpan

COMMIT = "marble-origami-commit"
SNAPSHOT = "marble-origami-snapshot"
RESET = "marble-origami-reset"


def commit_record(commit: Commit, session_id: str) -> dict[str, Any]:
    return {
        "type": COMMIT,
        "sessionId": session_id,
        "collapseId": commit.collapse_id,
        "summaryUuid": commit.summary_uuid,
        "summaryContent": commit.summary,
        "firstArchivedUuid": commit.first_uuid,
        "lastArchivedUuid": commit.last_uuid,
    }


def snapshot_record(state: CollapseState, session_id: str) -> dict[str, Any]:
    return {
        "type": SNAPSHOT,
        "sessionId": session_id,
        "staged": [
            {
                "firstUuid": span.first_uuid,
                "lastUuid": span.last_uuid,
                "tokens": span.tokens,
                "score": span.score,
                "summary": span.summary,
            }
            for span in state.staged
        ],
        "armed": state.armed,
        "lastSpawnTokens": state.last_spawn_tokens,
    }


def to_records(state: CollapseState, session_id: str) -> list[dict[str, Any]]:
    return [*(commit_record(commit, session_id) for commit in state.commits), snapshot_record(state, session_id)]


def from_records(records: Iterable[Mapping[str, Any]]) -> CollapseState:
    """Commits that lack one of their ids are left out: it is unknown what they replace."""
    commits: list[Commit] = []
    snapshot: Mapping[str, Any] = {}
    for record in records:
        kind = record.get("type")
        if kind == COMMIT:
            commit = _commit(record)
            commits += [commit] if commit else []
        elif kind == SNAPSHOT:
            snapshot = record
        elif kind == RESET:
            commits, snapshot = [], {}
    staged = snapshot.get("staged")
    spans = [_staged_span(entry) for entry in staged] if isinstance(staged, list) else []
    return CollapseState(
        tuple(commits),
        tuple(span for span in spans if span),
        snapshot.get("armed") is True,
        _number(snapshot.get("lastSpawnTokens")),
    )


def _commit(record: Mapping[str, Any]) -> Commit | None:
    keys = ("collapseId", "summaryUuid", "summaryContent", "firstArchivedUuid", "lastArchivedUuid")
    values = [value for key in keys if isinstance(value := record.get(key), str)]
    return Commit(*values) if len(values) == len(keys) else None


def _staged_span(entry: object) -> StagedSpan | None:
    if not isinstance(entry, Mapping):
        return None
    first, last, score, summary = (
        entry.get("firstUuid"),
        entry.get("lastUuid"),
        entry.get("score"),
        entry.get("summary"),
    )
    if not isinstance(first, str) or not isinstance(last, str):
        return None
    return StagedSpan(
        first,
        last,
        _number(entry.get("tokens")),
        float(score) if isinstance(score, (int, float)) else 0.0,
        summary if isinstance(summary, str) else "",
    )


def _number(value: object) -> int:
    return value if type(value) is int else 0
