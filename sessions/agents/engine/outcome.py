"""How an agent ended, according to the records. Without a record the outcome is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sessions.agents.engine.mail import RecordPosition, is_launch
from sessions.agents.engine.notices import Notice
from sessions.linking.engine.raw_fields import blocks, mapping, text

GRACE_MS = 2_000
"""The last records of an agent may have a slightly later time than the record of its end."""
_FAILED_STATUSES = ("failed", "error")


class AgentState(StrEnum):
    RUNNING = "running"
    ENDED = "ended"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Ending:
    """A record that says how an agent ended."""

    state: AgentState
    why: str
    spot: RecordPosition


@dataclass(frozen=True, slots=True)
class Outcome:
    state: AgentState
    why: str
    spot: RecordPosition | None = None
    """The record that shows it."""


def ending_of_result(record: Mapping[str, Any], tool_use_id: str, spot: RecordPosition) -> Ending | None:
    if is_launch(record):
        return None
    for block in blocks(record):
        if block.get("type") == "tool_result" and block.get("tool_use_id") == tool_use_id:
            if block.get("is_error") is True:
                return Ending(AgentState.FAILED, "its call came back with an error", spot)
            return Ending(AgentState.ENDED, "its result came back", spot)
    return None


def ending_of_notice(notice: Notice, spot: RecordPosition) -> Ending | None:
    status = notice.status.lower()
    if not status:
        return None
    if status in _FAILED_STATUSES:
        return Ending(AgentState.FAILED, f"a notice says “{status}”", spot)
    if status in ("running", "pending", "started"):
        return None
    return Ending(AgentState.ENDED, f"a notice says “{status}”", spot)


def has_continued(endings: Iterable[Ending], last_at: int | None) -> bool:
    """Whether the agent wrote after the last record of its end, or there is no such record."""
    end_times = [ending.spot.at or 0 for ending in endings]
    return not end_times or (last_at or 0) > max(end_times) + GRACE_MS


def judge_outcome(
    endings: Iterable[Ending],
    *,
    last_at: int | None = None,
    live: bool = False,
    meta: Mapping[str, Any] | None = None,
    last: Mapping[str, Any] | None = None,
    last_spot: RecordPosition | None = None,
) -> Outcome:
    """`live`: its file was written to just now. `last`: its last record of the conversation."""
    endings = list(endings)
    latest = max(endings, key=lambda ending: ending.spot.at or 0, default=None)
    last_outcome = _outcome_of_last(last)
    if live and has_continued(endings, last_at) and not (last_outcome and _is_final(last)):
        return Outcome(AgentState.RUNNING, "its file is being written to")
    if latest is not None:
        return Outcome(latest.state, latest.why, latest.spot)
    meta_values = mapping(meta)
    if meta_values.get("stoppedByUser") is True:
        return Outcome(AgentState.ENDED, "stopped by the user, says its meta file")
    if last_outcome is not None:
        return Outcome(*last_outcome, last_spot)
    if meta_values.get("finished") is True:
        return Outcome(AgentState.ENDED, "its meta file says so")
    return Outcome(AgentState.UNKNOWN, "no record says how it ended")


def _is_final(record: Mapping[str, Any] | None) -> bool:
    """Whether this record ends what an agent says for now, even if its file was written to just now."""
    values = mapping(record)
    return values.get("type") != "assistant" or mapping(values.get("message")).get("stop_reason") == "end_turn"


def _outcome_of_last(record: Mapping[str, Any] | None) -> tuple[AgentState, str] | None:
    if record is None:
        return None
    kinds = [block.get("type") for block in blocks(record)]
    if record.get("type") == "assistant":
        if record.get("isApiErrorMessage") is True:
            return AgentState.FAILED, "its last record is an error of the API"
        if kinds and "text" in kinds and "tool_use" not in kinds:
            return AgentState.ENDED, "its last record is an answer that calls no tool"
    if any(text(block.get("text")).startswith("[Request interrupted by user") for block in blocks(record)):
        return AgentState.ENDED, "it was interrupted by the user"
    return None
