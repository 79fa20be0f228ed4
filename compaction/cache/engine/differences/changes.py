"""What changed from one request to the next, in the order of the cache's key, each with its size and where it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

from compaction.cache.engine.causes.cause_names import CauseName
from compaction.cache.engine.differences.divergence import Divergence, DivergenceSide
from compaction.cache.engine.differences.message_rewrite import MessageRewrite, find_rewrite
from compaction.cache.engine.differences.prompt_parts import find_system_change, find_tools_change
from compaction.cache.engine.requests.prompt import Prompt
from sessions.context.engine import Context
from sessions.context.engine.digest import canonical
from sessions.linking.engine.raw_fields import mapping, text
from sessions.usage.engine.model_names import bare_name

MARKS = "cache_control"
_SHORT = 40
"""Characters of a value that a sentence can hold."""
_EFFORT = re.compile(r"<local-command-stdout>\s*(?:\x1b\[[\d;]*m)*Set effort level to (\w+)")


class Rank(IntEnum):
    """Where in the key a change is: it makes that level and all that follow unreadable."""

    MODEL = 0
    TOOLS = 1
    SYSTEM = 2
    SETTING = 3
    """How the model thinks or chooses tools: this makes the messages unreadable."""
    MESSAGES = 4
    HINT = 5
    """It may have had an effect, but nothing says which."""
    NONE = 9
    """Not part of the key."""


@dataclass(frozen=True, slots=True)
class Change:
    name: str
    rank: Rank
    sentence: str
    divergence: Divergence | None = None
    size: Mapping[str, int] = field(default_factory=dict)
    positions: tuple[int, ...] = ()
    """The records that prove it."""
    rewrite: MessageRewrite | None = None
    """How the messages differ, if this is a change of the messages."""
    in_requests: bool = True
    """Whether the requests show it, and not only a command between them."""


class _EffortSetting(NamedTuple):
    effort: str
    position: int
    """The record that says so."""


def find_changes(previous: Prompt, current: Prompt) -> list[Change]:
    """All changes, the earliest in the key first."""
    records = (previous.record_position, current.record_position)
    changes = [
        *_model_changes(previous, current, records),
        *_tools_changes(previous, current, records),
        *_system_changes(previous, current, records),
        *_setting_changes(previous, current, records),
        *_mark_changes(previous, current, records),
        *_message_changes(previous, current),
        *_other_changes(previous, current, records),
    ]
    return sorted(changes, key=lambda change: change.rank)


def is_comparable(previous: Prompt, current: Prompt) -> bool:
    """Whether the records can prove that the two have the same system prompt and tools. Snapshots cannot: the client
    does not write one whenever a tool disappears, nor before the first request with a new tool."""
    return all(
        prompt.system is not None and prompt.tools is not None and prompt.is_sent_whole
        for prompt in (previous, current)
    )


def is_same_model(name: str, other_name: str) -> bool:
    return name == other_name or (bare_name(name) is not None and bare_name(name) == bare_name(other_name))


def _model_changes(previous: Prompt, current: Prompt, records: tuple[int, int]) -> Iterator[Change]:
    if not is_same_model(previous.model, current.model):
        sentence = f"The model changed from {previous.model} to {current.model}, and each model has a cache of its own."
        yield Change(CauseName.MODEL, Rank.MODEL, sentence, Divergence("model", "model"), {}, records)


def _tools_changes(previous: Prompt, current: Prompt, records: tuple[int, int]) -> Iterator[Change]:
    if previous.tools is None or current.tools is None or previous.is_sent_whole != current.is_sent_whole:
        return
    tools_change = find_tools_change(previous.tools, current.tools)
    if tools_change is not None:
        yield Change(
            CauseName.TOOLS, Rank.TOOLS, tools_change.sentence, tools_change.divergence, tools_change.size, records
        )
    on_demand = find_tools_change(previous.deferred_tools, current.deferred_tools)
    if on_demand is not None:
        sentence = f"Tools that are loaded on demand changed, which are no part of the prompt: {on_demand.summary}."
        yield Change(CauseName.DEFERRED, Rank.NONE, sentence, None, on_demand.size, records)


def _system_changes(previous: Prompt, current: Prompt, records: tuple[int, int]) -> Iterator[Change]:
    if previous.system is None or current.system is None or previous.is_sent_whole != current.is_sent_whole:
        return
    system_change = find_system_change(previous.system, current.system)
    if system_change is not None:
        yield Change(
            CauseName.SYSTEM, Rank.SYSTEM, system_change.sentence, system_change.divergence, system_change.size, records
        )


def _setting_changes(previous: Prompt, current: Prompt, records: tuple[int, int]) -> Iterator[Change]:
    if previous.speed != current.speed and (
        (previous.is_sent_whole and current.is_sent_whole) or (previous.speed and current.speed)
    ):
        sentence = f"The speed changed from {previous.speed or 'standard'} to {current.speed or 'standard'}."
        yield Change(CauseName.SPEED, Rank.SYSTEM, sentence, Divergence("speed", "speed"), {}, records)
    if previous.effort and current.effort and previous.effort != current.effort:
        sentence = f"The effort changed from {previous.effort} to {current.effort}, which the messages are cached with."
        yield Change(
            CauseName.EFFORT, Rank.SETTING, sentence, Divergence("effort", "output_config.effort"), {}, records
        )
    elif not previous.effort or not current.effort:
        yield from _effort_command(previous, current)
    for key, name, noun in (
        ("thinking", CauseName.THINKING, "how the model thinks"),
        ("tool_choice", CauseName.TOOL_CHOICE, "how the model chooses tools"),
    ):
        if not previous.is_sent_whole or not current.is_sent_whole:
            return
        old, new = previous.params.get(key), current.params.get(key)
        if old != new:
            sentence = f"The setting of {noun} changed from {_shorten(old)} to {_shorten(new)}."
            yield Change(name, Rank.SETTING, sentence, Divergence(key, key), {}, records)


def _effort_command(previous: Prompt, current: Prompt) -> Iterator[Change]:
    setting = _find_effort_setting(current.context, previous.context.position)
    if setting is not None and setting.effort != previous.effort:
        sentence = f"The effort was set to {setting.effort} in between, which the messages are cached with."
        yield Change(CauseName.EFFORT, Rank.SETTING, sentence, None, {}, (setting.position,), in_requests=False)


def _find_effort_setting(context: Context, after: int) -> _EffortSetting | None:
    """The effort that a person set last after this position, by what the command printed."""
    setting = None
    for message in context.messages:
        if message.position is None or message.position <= after:
            continue
        for block in message.content:
            match = _EFFORT.search(text(block.get("text")))
            setting = _EffortSetting(match[1], message.position) if match else setting
    return setting


def _mark_changes(previous: Prompt, current: Prompt, records: tuple[int, int]) -> Iterator[Change]:
    if previous.marks is None or current.marks is None:
        return
    for place in sorted(previous.marks, key=_mark_order):
        old, new = previous.marks[place], current.marks.get(place)
        if new is not None and old.value == new.value:
            continue
        path = old.path if new is None else new.path
        was = format_mark(old.value)
        verb = f"is gone; it was {was}" if new is None else f"changed from {was} to {format_mark(new.value)}"
        sentence = f"The cache mark at {path} {verb}."
        sides = DivergenceSide(old.path), DivergenceSide() if new is None else DivergenceSide(new.path)
        rank = Rank.SETTING if place == "messages" else Rank.SYSTEM
        yield Change(CauseName.CACHE_CONTROL, rank, sentence, Divergence(MARKS, path, None, *sides), {}, records)
        return


def _message_changes(previous: Prompt, current: Prompt) -> Iterator[Change]:
    rewrite = find_rewrite(previous.context, current.context)
    if rewrite is not None:
        yield Change(
            CauseName.MESSAGES,
            Rank.MESSAGES,
            rewrite.sentence,
            rewrite.divergence,
            rewrite.size,
            rewrite.positions,
            rewrite,
        )


def _other_changes(previous: Prompt, current: Prompt, records: tuple[int, int]) -> Iterator[Change]:
    if not previous.is_sent_whole or not current.is_sent_whole:
        return
    old, new = _beta_names(previous), _beta_names(current)
    if old != new:
        differences = [*(f"+{beta}" for beta in sorted(new - old)), *(f"-{beta}" for beta in sorted(old - new))]
        yield Change(
            CauseName.BETAS,
            Rank.HINT,
            f"Betas changed: {', '.join(differences)}.",
            Divergence("betas", "betas"),
            {},
            records,
        )
    edits = [canonical(prompt.params.get("context_management")) for prompt in (previous, current)]
    if edits[0] != edits[1]:
        sentence = "The instructions for clearing old content in the API changed."
        yield Change(
            CauseName.CONTEXT_MANAGEMENT, Rank.HINT, sentence, Divergence("params", "context_management"), {}, records
        )
    yield from _parameter_changes(previous, current, records)


def _parameter_changes(previous: Prompt, current: Prompt, records: tuple[int, int]) -> Iterator[Change]:
    """Parameters that changed. Any of them may be part of the key, except those that are known not to be."""
    before, after = _other_parameters(previous.params), _other_parameters(current.params)
    # The client's log omits some that a capture has.
    is_one_form = (previous.context.captured is None) == (current.context.captured is None)
    known = {*before, *after} if is_one_form else before.keys() & after.keys()
    names = [name for name in sorted(known) if before.get(name) != after.get(name)]
    counting = [name for name in names if name not in _WITHOUT_EFFECT]
    if counting:
        changes = [_describe_parameter(name, before.get(name), after.get(name)) for name in counting]
        sentence = f"Parameters of the request changed: {'; '.join(changes)}."
        place = Divergence("params", counting[0])
        yield Change(CauseName.PARAMETERS, Rank.HINT, sentence, place, {"changed": len(counting)}, records)
    if len(names) > len(counting):
        without = ", ".join(name for name in names if name in _WITHOUT_EFFECT)
        sentence = f"Other parameters changed, which the cache does not depend on: {without}."
        yield Change(CauseName.PARAMETERS, Rank.NONE, sentence, None, {}, records)


def _describe_parameter(name: str, old: object, new: object) -> str:
    """Names the values if they are short; the page shows longer ones separately."""
    values = [_shorten(value) for value in (old, new)]
    is_short = all(len(value) <= _SHORT for value in values)
    return f"{name} from {values[0]} to {values[1]}" if is_short else name


def _other_parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that no other change covers. The effort is compared separately, the rest of its parameter here."""
    others = {name: value for name, value in params.items() if name not in _EXPLAINED}
    output = {name: value for name, value in mapping(params.get("output_config")).items() if name != "effort"}
    return {**others, **({"output_config": output} if output else {})}


_EXPLAINED = frozenset({"model", "betas", "thinking", "tool_choice", "speed", "output_config", "context_management"})
_WITHOUT_EFFECT = frozenset(
    {"diagnostics", "max_tokens", "metadata", "stop_sequences", "stream", "temperature", "top_k", "top_p"}
)


def _beta_names(prompt: Prompt) -> frozenset[str]:
    betas = prompt.params.get("betas")
    return frozenset(text(beta) for beta in betas) if isinstance(betas, list) else frozenset()


def _mark_order(path: str) -> tuple[int, str]:
    return ("tools", "system", "messages").index(path.partition("[")[0]), path


def format_mark(mark: Mapping[str, Any]) -> str:
    lifetime = text(mark.get("ttl")) or "5m"
    return f"{lifetime}, {text(mark['scope'])}" if mark.get("scope") else lifetime


def _shorten(value: object) -> str:
    return "nothing" if value is None else canonical(value)[:120]
