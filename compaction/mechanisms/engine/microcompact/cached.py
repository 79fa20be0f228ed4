"""Cached microcompact: old results are deleted from the server's cache, and the local array stays as it is.

The deletions go beside the request, as `cache_edits`. There is no public documentation of that field: what is made here
is a record of the instruction, nothing that any API is known to accept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.mechanisms.engine.microcompact.clearable import (
    Clearable,
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
    """Empty after a compaction, and after a time-based clearing."""

    order: tuple[str, ...] = ()
    """All registered results, in the order in which they came."""
    deleted: frozenset[str] = frozenset()
    pinned: tuple[Pin, ...] = ()

    def expired(self) -> CachedState:
        """After the cache was lost: the next request brings everything in again, so nothing is deleted any more."""
        return CachedState(self.order)

    def without(self, after: str) -> CachedState:
        """Undoes the edit that was pinned there."""
        pinned = tuple(pin for pin in self.pinned if pin.after != after)
        return CachedState(self.order, frozenset(one for pin in pinned for one in pin.tool_use_ids), pinned)

    def to_json(self) -> dict[str, Any]:
        pinned = [{"after": pin.after, "toolUseIds": list(pin.tool_use_ids)} for pin in self.pinned]
        return {"order": list(self.order), "deleted": sorted(self.deleted), "pinned": pinned}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> CachedState:
        pinned = tuple(Pin(one["after"], tuple(one["toolUseIds"])) for one in saved["pinned"])
        return cls(tuple(saved["order"]), frozenset(saved["deleted"]), pinned)


@dataclass(frozen=True, slots=True)
class CachedReport(Report):
    """Its tokens are those that the model sees: the array itself keeps its size."""

    pointers: tuple[Pointer, ...] = ()


@dataclass(frozen=True, slots=True)
class CachedOutcome(Outcome[CachedState]):
    cache_edits: tuple[Mapping[str, Any], ...]
    """What goes beside the request, one for each pin that still refers to something."""


def cached(
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
    declined = _declined(config, main_thread, supported)
    if declined:
        return CachedOutcome(messages, CachedReport("cached microcompact", False, declined, tokens, tokens), state, ())
    found = {one.call.id: one for one in clearable(messages)}
    known = set(state.order)
    order = (*state.order, *(one for one in found if one not in known))
    active = [one for one in order if one in found and one not in state.deleted]
    doomed = active[: max(0, len(active) - config.keep)] if len(active) >= config.trigger else []
    before = tokens - sum(_freed(found[one], counter) for one in state.deleted if one in found)
    pinned = state.pinned
    if doomed:
        pinned = (*pinned, Pin(messages[-1].uuid, tuple(doomed)))
    changes = tuple(_change(messages, found[one], counter) for one in doomed)
    report = CachedReport(
        "cached microcompact",
        bool(doomed),
        _why(len(active), len(doomed), config),
        before,
        before - sum(change.tokens_before - change.tokens_after for change in changes),
        changes,
        tuple(pointer(messages, found[one]) for one in doomed),
    )
    state = CachedState(order, state.deleted | set(doomed), pinned)
    return CachedOutcome(messages, report, state, tuple(_instructions(pinned, found)))


def _declined(config: CachedConfig, main_thread: bool, supported: bool) -> str:
    if not config.enabled:
        return "Deleting from the cache is switched off."
    if not main_thread:
        return "Results are deleted on the main thread only."
    return "" if supported else "The model has no cache that can be edited."


def _instructions(pinned: Sequence[Pin], present: Mapping[str, Clearable]) -> Iterator[Mapping[str, Any]]:
    """Results that have left the array since cannot be referred to, and without any there is nothing to say."""
    for pin in pinned:
        edits = [{"type": "delete", "cache_reference": one} for one in pin.tool_use_ids if one in present]
        if edits:
            yield {"type": "cache_edits", "edits": edits}


def _freed(one: Clearable, counter: TokenCounter) -> int:
    return counter((one.result.block,)) - counter((cleared(one.result.block),))


def _change(messages: Sequence[Message], one: Clearable, counter: TokenCounter) -> Change:
    return Change(
        ChangeKind.REPLACED,
        messages[one.result.message_index].uuid,
        counter((one.result.block,)),
        counter((cleared(one.result.block),)),
        f"A result of {one.call.name}, deleted from the cache; the array keeps it.",
        one.call.id,
    )


def _why(active: int, doomed: int, config: CachedConfig) -> str:
    if not doomed:
        return f"{active} results are active; the oldest are deleted from {config.trigger} on."
    return f"{active} results were active: the oldest {doomed} are deleted from the cache, {active - doomed} stay."
