"""How an agent ended, as far as records tell. What nobody says is unknown, not ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sessions.agents.engine.mail import Spot, launched
from sessions.agents.engine.notices import Notice
from sessions.linking.engine.raw_fields import blocks, mapping, text

GRACE_MS = 2_000
"""An agent's last records may be stamped a little later than the word that it ended."""
_FAILED = ("failed", "error")


class State(StrEnum):
    RUNNING = "running"
    ENDED = "ended"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Ending:
    """A record that says how an agent ended."""

    state: State
    why: str
    spot: Spot


@dataclass(frozen=True, slots=True)
class Outcome:
    state: State
    why: str
    spot: Spot | None = None
    """The record that says so."""


def ending_of_result(record: Mapping[str, Any], tool_use_id: str, spot: Spot) -> Ending | None:
    if launched(record):
        return None
    for block in blocks(record):
        if block.get("type") == "tool_result" and block.get("tool_use_id") == tool_use_id:
            if block.get("is_error") is True:
                return Ending(State.FAILED, "its call came back with an error", spot)
            return Ending(State.ENDED, "its result came back", spot)
    return None


def ending_of_notice(notice: Notice, spot: Spot) -> Ending | None:
    status = notice.status.lower()
    if not status:
        return None
    if status in _FAILED:
        return Ending(State.FAILED, f"a notice says “{status}”", spot)
    if status in ("running", "pending", "started"):
        return None
    return Ending(State.ENDED, f"a notice says “{status}”", spot)


def went_on(endings: Iterable[Ending], last_at: int | None) -> bool:
    """Did the agent write after the last word of its end, or did nobody say that it ended?"""
    told = [one.spot.at or 0 for one in endings]
    return not told or (last_at or 0) > max(told) + GRACE_MS


def judge(
    endings: Iterable[Ending],
    *,
    last_at: int | None = None,
    live: bool = False,
    meta: Mapping[str, Any] | None = None,
    last: Mapping[str, Any] | None = None,
    last_spot: Spot | None = None,
) -> Outcome:
    """`live`: its file has just been written to. `last`: its last record of the conversation."""
    endings = list(endings)
    latest = max(endings, key=lambda one: one.spot.at or 0, default=None)
    seen = _last(last)
    if live and went_on(endings, last_at) and not (seen and _final(last)):
        return Outcome(State.RUNNING, "its file is being written to")
    if latest is not None:
        return Outcome(latest.state, latest.why, latest.spot)
    said = mapping(meta)
    if said.get("stoppedByUser") is True:
        return Outcome(State.ENDED, "stopped by the user, says its meta file")
    if seen is not None:
        return Outcome(*seen, last_spot)
    if said.get("finished") is True:
        return Outcome(State.ENDED, "its meta file says so")
    return Outcome(State.UNKNOWN, "no record says how it ended")


def _final(record: Mapping[str, Any] | None) -> bool:
    """Of an agent that may still be writing: is this certainly the last that it says for now?"""
    said = mapping(record)
    return said.get("type") != "assistant" or mapping(said.get("message")).get("stop_reason") == "end_turn"


def _last(record: Mapping[str, Any] | None) -> tuple[State, str] | None:
    if record is None:
        return None
    kinds = [block.get("type") for block in blocks(record)]
    if record.get("type") == "assistant":
        if record.get("isApiErrorMessage") is True:
            return State.FAILED, "its last record is an error of the API"
        if kinds and "text" in kinds and "tool_use" not in kinds:
            return State.ENDED, "its last record is an answer that calls no tool"
    if any(text(block.get("text")).startswith("[Request interrupted by user") for block in blocks(record)):
        return State.ENDED, "it was interrupted by the user"
    return None
