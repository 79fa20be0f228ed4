"""Time-based microcompact: after a long pause the cache is cold, so old results can go at no price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.mechanisms.engine.conversation.edits import BlockPosition, replace_blocks
from compaction.mechanisms.engine.microcompact.clearable import (
    Pointer,
    clearable,
    cleared,
    pointer,
)
from compaction.mechanisms.engine.report import (
    Change,
    ChangeKind,
    Outcome,
    Report,
)
from compaction.mechanisms.engine.setting_field import setting
from sessions.transcripts.engine.messages import Block, Message, MessageKind
from sessions.usage.engine.tokens import TokenCounter, estimate, estimate_blocks

_MINUTE = 60


@dataclass(frozen=True, slots=True)
class TimedConfig:
    enabled: bool = setting(False, "Whether it is done at all.")
    gap_minutes: float = setting(60, "Minutes since the last answer from which on it acts.")
    keep: int = setting(5, "The latest results that stay.", label="Latest results that stay")
    """The latest results, which stay; at least one."""


@dataclass(frozen=True, slots=True)
class TimedState:
    cleared: frozenset[str] = frozenset()
    """Tool use ids whose results stay cleared."""

    def without(self, tool_use_ids: frozenset[str]) -> TimedState:
        """Undoes clearings: these results are back in full, until the next pause."""
        return TimedState(self.cleared - tool_use_ids)

    def to_json(self) -> dict[str, Any]:
        return {"cleared": sorted(self.cleared)}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> TimedState:
        return cls(frozenset(saved["cleared"]))


@dataclass(frozen=True, slots=True)
class ClearingReport(Report):
    pointers: tuple[Pointer, ...] = ()
    """One for each cleared result."""
    fired: bool = False
    """Results were cleared in this call, not only those of an earlier one again."""


def timed(
    messages: Sequence[Message],
    config: TimedConfig | None = None,
    state: TimedState | None = None,
    *,
    now: float,
    main_thread: bool = True,
    counter: TokenCounter = estimate_blocks,
) -> Outcome[TimedState]:
    """Clears all but the latest results after a pause, and again whatever was cleared before."""
    config, state = config or TimedConfig(), state or TimedState()
    before = estimate(messages, counter)
    declined = _declined(messages, config, now, main_thread)
    if not config.enabled or not main_thread:
        return Outcome(messages, ClearingReport("microcompact", False, declined, before, before), state)
    found = list(clearable(messages)) if state.cleared or not declined else []
    new: frozenset[str] = frozenset()
    if not declined:
        old = found[: -max(config.keep, 1)]
        new = frozenset(one.call.id for one in old) - state.cleared
    gone = [one for one in found if one.call.id in new or one.call.id in state.cleared]
    changed: dict[BlockPosition, Block] = {}
    changes = []
    for one in gone:
        block = cleared(one.result.block)
        changed[one.result.message_index, one.result.block_index] = block
        result = f"result of {one.call.name}"
        fresh = f"A {result} from before the pause." if config.gap_minutes else f"An earlier {result}."
        why = fresh if one.call.id in new else "Cleared earlier."
        tokens = counter((one.result.block,)), counter((block,))
        changes.append(Change(ChangeKind.REPLACED, messages[one.result.message_index].uuid, *tokens, why, one.call.id))
    after = before - sum(change.tokens_before - change.tokens_after for change in changes)
    report = ClearingReport(
        "microcompact",
        bool(changes),
        _why(len(new), len(gone), declined, config),
        before,
        after,
        tuple(changes),
        tuple(pointer(messages, one) for one in gone),
        bool(new),
    )
    return Outcome(replace_blocks(messages, changed), report, TimedState(state.cleared | new))


def minutes_idle(messages: Sequence[Message], now: float) -> float | None:
    """Since the last answer; None if its time is not known."""
    last = next((message.at for message in reversed(messages) if message.kind is MessageKind.ANSWER), None)
    return None if last is None else (now - last) / _MINUTE


def _declined(messages: Sequence[Message], config: TimedConfig, now: float, main_thread: bool) -> str:
    """Why nothing new is cleared, or nothing at all to say."""
    if not config.enabled:
        return "Time-based clearing is switched off."
    if not main_thread:
        return "Results are cleared on the main thread only."
    minutes = minutes_idle(messages, now)
    if minutes is None:
        return "There is no answer whose time is known."
    if minutes <= config.gap_minutes:
        return f"The last answer is {max(minutes, 0):.0f} minutes old; the cache may still be warm."
    return ""


def _why(new: int, gone: int, declined: str, config: TimedConfig) -> str:
    stay = f" {_results(gone - new)} cleared before." if gone > new else ""
    if new:
        after = f"after more than {config.gap_minutes:g} minutes the cache is cold anyway"
        latest = max(config.keep, 1)
        stays = "the latest one stays" if latest == 1 else f"the latest {latest} stay"
        why = f"{_results(new)} cleared: {after if config.gap_minutes else stays}."
    else:
        why = declined or f"No more than the latest {max(config.keep, 1)} results are left to clear."
    return why + stay


def _results(count: int) -> str:
    return "1 old result was" if count == 1 else f"{count} old results were"
