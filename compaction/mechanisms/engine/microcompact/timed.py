"""Time-based microcompact: after a long pause the cache is cold, so clearing old results costs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.mechanisms.engine.conversation.edits import BlockPosition, replace_blocks
from compaction.mechanisms.engine.microcompact.clearable import ResultPointer, clear_block, clearable_results, point_to
from compaction.mechanisms.engine.report import Change, ChangeKind, Outcome, Report
from compaction.mechanisms.engine.setting_field import setting
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Block, Message, MessageKind
from sessions.usage.engine.tokens import TokenCounter, estimate, estimate_blocks

_MINUTE = 60


@dataclass(frozen=True, slots=True)
class TimedConfig:
    enabled: bool = setting(False, "Whether it is done at all.")
    gap_minutes: float = setting(60, "Minutes since the last answer from which on it acts.")
    keep: int = setting(5, "The latest results that stay.", label="Latest results that stay")


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
    pointers: tuple[ResultPointer, ...] = ()
    """One for each cleared result."""
    cleared_anew: bool = False
    """Whether this call cleared results that no earlier one had."""


def timed_microcompact(
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
    declined = _reason_to_decline(messages, config, now, main_thread)
    if not config.enabled or not main_thread:
        return Outcome(messages, ClearingReport("microcompact", False, declined, before, before), state)
    clearables = list(clearable_results(messages)) if state.cleared or not declined else []
    new: frozenset[str] = frozenset()
    if not declined:
        old = clearables[: -max(config.keep, 1)]
        new = frozenset(clearable.call.id for clearable in old) - state.cleared
    to_clear = [clearable for clearable in clearables if clearable.call.id in new or clearable.call.id in state.cleared]
    changed: dict[BlockPosition, Block] = {}
    changes = []
    for clearable in to_clear:
        block = clear_block(clearable.result.block)
        changed[clearable.result.message_index, clearable.result.block_index] = block
        result = f"result of {clearable.call.name}"
        fresh = f"A {result} from before the pause." if config.gap_minutes else f"An earlier {result}."
        why = fresh if clearable.call.id in new else "Cleared earlier."
        tokens = counter((clearable.result.block,)), counter((block,))
        changes.append(
            Change(ChangeKind.REPLACED, messages[clearable.result.message_index].uuid, *tokens, why, clearable.call.id)
        )
    after = before - sum(change.tokens_before - change.tokens_after for change in changes)
    report = ClearingReport(
        "microcompact",
        bool(changes),
        _why(len(new), len(to_clear), declined, config),
        before,
        after,
        tuple(changes),
        tuple(point_to(messages, clearable) for clearable in to_clear),
        bool(new),
    )
    return Outcome(replace_blocks(messages, changed), report, TimedState(state.cleared | new))


def minutes_idle(messages: Sequence[Message], now: float) -> float | None:
    """Minutes since the last answer; None if its time is not known."""
    last = next((message.at for message in reversed(messages) if message.kind is MessageKind.ANSWER), None)
    return None if last is None else (now - last) / _MINUTE


def _reason_to_decline(messages: Sequence[Message], config: TimedConfig, now: float, main_thread: bool) -> str:
    """Why nothing new is cleared; empty if something may be."""
    if not config.enabled:
        return "Time-based clearing is switched off."
    if not main_thread:
        return "Results are cleared on the main thread only."
    minutes = minutes_idle(messages, now)
    if minutes is None:
        return "There is no answer whose time is known."
    if minutes <= config.gap_minutes:
        return f"The last answer is {plural(max(round(minutes), 0), 'minute')} old; the cache may still be warm."
    return ""


def _why(new: int, cleared: int, declined: str, config: TimedConfig) -> str:
    stay = f" {_results(cleared - new)} cleared before." if cleared > new else ""
    stays = "the latest, which stays" if config.keep <= 1 else f"the latest {config.keep}, which stay"
    if new:
        after = f"after more than {config.gap_minutes:g} minutes the cache is cold anyway"
        why = f"{_results(new)} cleared: {after if config.gap_minutes else f'all but {stays}'}."
    else:
        why = declined or f"No result is left to clear but {stays}."
    return why + stay


def _results(count: int) -> str:
    return plural(count, "old result was", "old results were")
