"""What changed from one request to the next, in the order of the cache's key, each with its size and its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from compaction.cache.engine.commands import effort_set
from compaction.cache.engine.names import Name
from compaction.cache.engine.parts import system_changes, tool_changes
from compaction.cache.engine.place import Place
from compaction.cache.engine.prompt import Prompt
from compaction.cache.engine.rewriting import Rewriting, rewriting
from sessions.context.engine.digest import canonical
from sessions.linking.engine.raw_fields import mapping, text
from sessions.usage.engine.model_names import bare_name


class Rank(IntEnum):
    """What a change makes unreadable: itself and all that is below it."""

    MODEL = 0
    TOOLS = 1
    SYSTEM = 2
    SETTING = 3
    """Of how the model thinks or chooses: the messages."""
    MESSAGES = 4
    HINT = 5
    """It may have had an effect, and nobody says which."""
    NONE = 9
    """No part of the key."""


@dataclass(frozen=True, slots=True)
class Change:
    name: str
    rank: Rank
    sentence: str
    place: Place | None = None
    size: Mapping[str, int] = field(default_factory=dict)
    positions: tuple[int, ...] = ()
    """Of the records that prove it."""
    rewriting: Rewriting | None = None
    """Of the messages: how they differ."""
    told: bool = True
    """The requests tell it; else only something that was done in between."""


def changes(previous: Prompt, current: Prompt) -> list[Change]:
    """All of them, the earliest in the key first."""
    records = (previous.record, current.record)
    found = [
        *_model(previous, current, records),
        *_tools(previous, current, records),
        *_system(previous, current, records),
        *_settings(previous, current, records),
        *_marks(previous, current, records),
        *_messages(previous, current),
        *_others(previous, current, records),
    ]
    return sorted(found, key=lambda one: one.rank)


def comparable(previous: Prompt, current: Prompt) -> bool:
    """Whether it can be said that system prompt and tools of the two are the same. Snapshots cannot: the client does
    not write a new one whenever a tool goes, nor before the first request that a new one was sent with."""
    return all(one.system is not None and one.tools is not None and one.sent_whole for one in (previous, current))


def same_model(one: str, other: str) -> bool:
    return one == other or (bare_name(one) is not None and bare_name(one) == bare_name(other))


def _model(previous: Prompt, current: Prompt, records: tuple[int, int]) -> Iterator[Change]:
    if not same_model(previous.model, current.model):
        said = f"The model changed from {previous.model} to {current.model}, and each model has a cache of its own."
        yield Change(Name.MODEL, Rank.MODEL, said, Place("model", "model"), {}, records)


def _tools(previous: Prompt, current: Prompt, records: tuple[int, int]) -> Iterator[Change]:
    if previous.tools is None or current.tools is None or previous.sent_whole != current.sent_whole:
        return
    told = tool_changes(previous.tools, current.tools)
    if told is not None:
        yield Change(Name.TOOLS, Rank.TOOLS, told.sentence, told.place, told.size, records)
    on_demand = tool_changes(previous.deferred, current.deferred)
    if on_demand is not None:
        said = f"Tools that are loaded on demand changed, which are no part of the prompt: {on_demand.what}."
        yield Change(Name.DEFERRED, Rank.NONE, said, None, on_demand.size, records)


def _system(previous: Prompt, current: Prompt, records: tuple[int, int]) -> Iterator[Change]:
    if previous.system is None or current.system is None or previous.sent_whole != current.sent_whole:
        return
    told = system_changes(previous.system, current.system)
    if told is not None:
        yield Change(Name.SYSTEM, Rank.SYSTEM, told.sentence, told.place, told.size, records)


def _settings(previous: Prompt, current: Prompt, records: tuple[int, int]) -> Iterator[Change]:
    if previous.speed != current.speed and (
        (previous.sent_whole and current.sent_whole) or (previous.speed and current.speed)
    ):
        said = f"The speed changed from {previous.speed or 'standard'} to {current.speed or 'standard'}."
        yield Change(Name.SPEED, Rank.SYSTEM, said, Place("speed", "speed"), {}, records)
    if previous.effort and current.effort and previous.effort != current.effort:
        said = f"The effort changed from {previous.effort} to {current.effort}, which the messages are cached with."
        yield Change(Name.EFFORT, Rank.SETTING, said, Place("effort", "output_config.effort"), {}, records)
    elif not previous.effort or not current.effort:
        yield from _commanded(previous, current)
    for key, name, noun in (
        ("thinking", Name.THINKING, "how the model thinks"),
        ("tool_choice", Name.TOOL_CHOICE, "how the model chooses tools"),
    ):
        if not previous.sent_whole or not current.sent_whole:
            return
        old, new = previous.params.get(key), current.params.get(key)
        if old != new:
            said = f"The setting of {noun} changed from {_short(old)} to {_short(new)}."
            yield Change(name, Rank.SETTING, said, Place(key, key), {}, records)


def _commanded(previous: Prompt, current: Prompt) -> Iterator[Change]:
    setting = effort_set(current.context, previous.context.position)
    if setting is not None and setting.value != previous.effort:
        said = f"The effort was set to {setting.value} in between, which the messages are cached with."
        yield Change(Name.EFFORT, Rank.SETTING, said, None, {}, (setting.position,), told=False)


def _marks(previous: Prompt, current: Prompt, records: tuple[int, int]) -> Iterator[Change]:
    if previous.marks is None or current.marks is None:
        return
    for path in sorted(previous.marks, key=_order):
        old, new = previous.marks[path], current.marks.get(path)
        if old == new:
            continue
        words = "is gone" if new is None else f"changed from {_mark(old)} to {_mark(new)}"
        rank = Rank.SETTING if path == "messages" else Rank.SYSTEM
        said = f"The cache mark at {path} {words}."
        yield Change(Name.CACHE_CONTROL, rank, said, Place("cache_control", path), {}, records)
        return


def _messages(previous: Prompt, current: Prompt) -> Iterator[Change]:
    told = rewriting(previous.context, current.context)
    if told is not None:
        yield Change(Name.MESSAGES, Rank.MESSAGES, told.sentence, told.place, told.size, told.positions, told)


def _others(previous: Prompt, current: Prompt, records: tuple[int, int]) -> Iterator[Change]:
    if not previous.sent_whole or not current.sent_whole:
        return
    old, new = _betas(previous), _betas(current)
    if old != new:
        told = [*(f"+{one}" for one in sorted(new - old)), *(f"-{one}" for one in sorted(old - new))]
        yield Change(Name.BETAS, Rank.HINT, f"Betas changed: {', '.join(told)}.", Place("betas", "betas"), {}, records)
    edits = [canonical(one.params.get("context_management")) for one in (previous, current)]
    if edits[0] != edits[1]:
        said = "The instructions for clearing old content in the API changed."
        yield Change(Name.CONTEXT_MANAGEMENT, Rank.HINT, said, Place("params", "context_management"), {}, records)
    names = sorted({*previous.params, *current.params} - _TOLD)
    differ = [one for one in names if previous.params.get(one) != current.params.get(one)]
    if differ:
        said = f"Other parameters changed, which the cache does not depend on: {', '.join(differ)}."
        yield Change(Name.PARAMETERS, Rank.NONE, said, None, {}, records)


_TOLD = {"model", "betas", "thinking", "tool_choice", "speed", "output_config", "context_management"}


def _betas(prompt: Prompt) -> frozenset[str]:
    given = prompt.params.get("betas")
    return frozenset(text(one) for one in given) if isinstance(given, list) else frozenset()


def _order(path: str) -> tuple[int, str]:
    return ("tools", "system", "messages").index(path.partition("[")[0]), path


def _mark(value: Mapping[str, Any] | None) -> str:
    given = mapping(value)
    told = text(given.get("ttl")) or "5m"
    return f"{told}, {text(given['scope'])}" if given.get("scope") else told


def _short(value: object) -> str:
    return "nothing" if value is None else canonical(value)[:120]
