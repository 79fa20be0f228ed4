"""Cached microcompact: old results are deleted from the server's cache, and the local array stays as it is.

The deletions go beside the request, as `cache_edits`. There is no public documentation of that field: what is made here
is a record of the instruction, nothing that any API is known to accept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.mechanisms.engine.microcompact.clearable import (
    ClearableResult,
    ResultPointer,
    clear_block,
    clearable_results,
    point_to,
)
from compaction.mechanisms.engine.report import Change, ChangeKind, Outcome, Report
from compaction.mechanisms.engine.setting_field import setting
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import TokenCounter, estimate, estimate_blocks


@dataclass(frozen=True, slots=True)
class CachedConfig:
    enabled: bool = setting(True, "Whether it is done at all.")
    trigger: int = setting(12, "Results that may be active before any is deleted.", label="Starts at")
    keep: int = setting(5, "The latest results that stay.", label="Latest results that stay")


@dataclass(frozen=True, slots=True)
class Pin:
    """An edit that is sent again with every request while the cache lives."""

    after: str
    """The uuid of the last message of the request that it was first sent with."""
    tool_use_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CachedState:
    """The state, which is empty after a compaction and after a time-based clearing."""

    order: tuple[str, ...] = ()
    """All registered results, in the order in which they came."""
    deleted: frozenset[str] = frozenset()
    pinned: tuple[Pin, ...] = ()

    def without_pins(self) -> CachedState:
        """The state after the cache was lost: the next request sends everything again, so nothing is deleted."""
        return CachedState(self.order)

    def without(self, after: str) -> CachedState:
        """Undoes the edit that was pinned there."""
        pinned = tuple(pin for pin in self.pinned if pin.after != after)
        return CachedState(self.order, frozenset(tool_id for pin in pinned for tool_id in pin.tool_use_ids), pinned)

    def to_json(self) -> dict[str, Any]:
        pinned = [{"after": pin.after, "toolUseIds": list(pin.tool_use_ids)} for pin in self.pinned]
        return {"order": list(self.order), "deleted": sorted(self.deleted), "pinned": pinned}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> CachedState:
        pinned = tuple(Pin(entry["after"], tuple(entry["toolUseIds"])) for entry in saved["pinned"])
        return cls(tuple(saved["order"]), frozenset(saved["deleted"]), pinned)


@dataclass(frozen=True, slots=True)
class CachedReport(Report):
    """Its tokens are those that the model sees: the array itself keeps its size."""

    pointers: tuple[ResultPointer, ...] = ()


@dataclass(frozen=True, slots=True)
class CachedOutcome(Outcome[CachedState]):
    cache_edits: tuple[Mapping[str, Any], ...]
    """What goes beside the request, one for each pin that still refers to something."""


def cached_microcompact(
    messages: Sequence[Message],
    config: CachedConfig | None = None,
    state: CachedState | None = None,
    *,
    main_thread: bool = True,
    supported: bool = True,
    counter: TokenCounter = estimate_blocks,
) -> CachedOutcome:
    """Registers new results; when too many are active, deletes the oldest down to those that are kept."""
    config, state = config or CachedConfig(), state or CachedState()
    tokens = estimate(messages, counter)
    declined = _reason_to_decline(config, main_thread, supported)
    if declined:
        return CachedOutcome(messages, CachedReport("cached microcompact", False, declined, tokens, tokens), state, ())
    clearables = {clearable.call.id: clearable for clearable in clearable_results(messages)}
    registered = set(state.order)
    order = (*state.order, *(tool_id for tool_id in clearables if tool_id not in registered))
    active = [tool_id for tool_id in order if tool_id in clearables and tool_id not in state.deleted]
    to_delete = active[: max(0, len(active) - config.keep)] if len(active) >= config.trigger else []
    before = tokens - tokens_deleted(messages, state, counter)
    pinned = state.pinned
    if to_delete:
        pinned = (*pinned, Pin(messages[-1].uuid, tuple(to_delete)))
    changes = tuple(_change(messages, clearables[tool_id], counter) for tool_id in to_delete)
    report = CachedReport(
        "cached microcompact",
        bool(to_delete),
        _why(len(active), len(to_delete), config),
        before,
        before - sum(change.tokens_before - change.tokens_after for change in changes),
        changes,
        tuple(point_to(messages, clearables[tool_id]) for tool_id in to_delete),
    )
    state = CachedState(order, state.deleted | set(to_delete), pinned)
    return CachedOutcome(messages, report, state, tuple(_build_cache_edits(pinned, clearables)))


def tokens_deleted(messages: Sequence[Message], state: CachedState, counter: TokenCounter = estimate_blocks) -> int:
    """The tokens of results in these messages that were deleted from the model's cache."""
    clearables = {clearable.call.id: clearable for clearable in clearable_results(messages)} if state.deleted else {}
    return sum(_saved_tokens(clearables[tool_id], counter) for tool_id in state.deleted if tool_id in clearables)


def reference_results(array: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A request's messages with a `cache_reference` on each result before the last cache mark, which edits refer to."""
    marks = [any("cache_control" in block for block in _blocks(element)) for element in array]
    last = max((index for index, marked in enumerate(marks) if marked), default=-1)
    return [_reference(element) if index < last else dict(element) for index, element in enumerate(array)]


def _reference(element: Mapping[str, Any]) -> dict[str, Any]:
    content = [
        {**block, "cache_reference": block["tool_use_id"]} if block.get("type") == "tool_result" else block
        for block in _blocks(element)
    ]
    return {**element, "content": content} if content else dict(element)


def _blocks(element: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    content = element["content"]
    return [] if isinstance(content, str) else content


def _reason_to_decline(config: CachedConfig, main_thread: bool, supported: bool) -> str:
    if not config.enabled:
        return "Deleting from the cache is switched off."
    if not main_thread:
        return "Results are deleted on the main thread only."
    return "" if supported else "The model has no cache that can be edited."


def _build_cache_edits(pinned: Sequence[Pin], present: Mapping[str, ClearableResult]) -> Iterator[Mapping[str, Any]]:
    """Leaves out results that are no longer in the array, because they cannot be referred to."""
    for pin in pinned:
        edits = [{"type": "delete", "cache_reference": tool_id} for tool_id in pin.tool_use_ids if tool_id in present]
        if edits:
            yield {"type": "cache_edits", "edits": edits}


def _saved_tokens(clearable: ClearableResult, counter: TokenCounter) -> int:
    before, after = _tokens_before_and_after(clearable, counter)
    return before - after


def _tokens_before_and_after(clearable: ClearableResult, counter: TokenCounter) -> tuple[int, int]:
    """A result that is shorter than its replacement saves nothing and costs nothing; it is deleted."""
    before = counter((clearable.result.block,))
    return before, min(before, counter((clear_block(clearable.result.block),)))


def _change(messages: Sequence[Message], clearable: ClearableResult, counter: TokenCounter) -> Change:
    before, after = _tokens_before_and_after(clearable, counter)
    return Change(
        ChangeKind.REPLACED,
        messages[clearable.result.message_index].uuid,
        before,
        after,
        f"A result of {clearable.call.name}, deleted from the cache; the array keeps it.",
        clearable.call.id,
    )


def _why(active: int, to_delete: int, config: CachedConfig) -> str:
    if not to_delete:
        return f"{plural(active, 'result is', 'results are')} active; from {config.trigger} on, the oldest are deleted."
    deleted = plural(to_delete, "oldest one is", "oldest ones are")
    stay = plural(active - to_delete, "stays", "stay")
    return f"{plural(active, 'result was', 'results were')} active: the {deleted} deleted from the cache, {stay}."
