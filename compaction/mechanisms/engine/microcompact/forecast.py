"""What the API would do with our messages: the edits of `api_edits`, applied locally.

It is a forecast. The API counts with its own tokenizer, and the text with which it replaces a result is not documented;
ours stands in for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compaction.mechanisms.engine.conversation.calls import Call, Result, calls_of, results_of
from compaction.mechanisms.engine.conversation.edits import BlockPosition, replace_blocks
from compaction.mechanisms.engine.microcompact.clearable import CLEARED, clear_block
from compaction.mechanisms.engine.report import Change, ChangeKind, Outcome, Report
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Block, Message
from sessions.usage.engine.tokens import TokenCounter, context_tokens, estimate, estimate_blocks

_USUAL_TRIGGER = 100_000
_USUAL_KEEP = 3
_NAME = "clear_tool_uses"


def forecast_clear_tool_uses(
    messages: Sequence[Message],
    edit: Mapping[str, Any],
    *,
    input_tokens: int | None = None,
    counter: TokenCounter = estimate_blocks,
) -> Outcome[None]:
    """`edit` as it would be sent; `input_tokens` is the size of the prompt, if it is known better than by estimate."""
    before = estimate(messages, counter)
    calls = calls_of(messages)
    pairs = [(calls[result.tool_use_id], result) for result in results_of(messages) if result.tool_use_id in calls]
    size = context_tokens(messages, counter=counter) if input_tokens is None else input_tokens
    declined = _not_triggered(edit, size, len(pairs))
    if declined:
        return Outcome(messages, Report(_NAME, False, declined, before, before), None)
    keep = _value(edit.get("keep"), _USUAL_KEEP)
    excluded = frozenset(edit.get("exclude_tools") or ())
    old = pairs[: len(pairs) - keep] if keep else pairs
    chosen = [pair for pair in old if pair[0].name not in excluded and pair[1].block.get("content") != CLEARED]
    edited, changes = _clear(messages, chosen, edit, counter)
    saved = sum(change.tokens_before - change.tokens_after for change in changes)
    least = _value(edit.get("clear_at_least"), 0)
    if not changes or saved < least:
        why = (
            f"Only ~{saved:,} tokens could be cleared, fewer than the {least:,} that it takes." if changes else _NOTHING
        )
        return Outcome(messages, Report(_NAME, False, why, before, before), None)
    why = f"{len(chosen)} of {plural(len(pairs), 'tool use')} would be cleared, ~{plural(saved, 'token')}."
    return Outcome(replace_blocks(messages, edited), Report(_NAME, True, why, before, before - saved, changes), None)


_NOTHING = "No tool use is old enough to be cleared."


def _not_triggered(edit: Mapping[str, Any], tokens: int, uses: int) -> str:
    trigger = edit.get("trigger") or {}
    value = _value(trigger, _USUAL_TRIGGER)
    by_uses = trigger.get("type") == "tool_uses"
    size = uses if by_uses else tokens
    unit = "tool uses" if by_uses else "input tokens"
    return "" if size > value else f"The request has {size:,} {unit}; clearing starts beyond {value:,}."


def _clear(
    messages: Sequence[Message], chosen: Sequence[tuple[Call, Result]], edit: Mapping[str, Any], counter: TokenCounter
) -> tuple[dict[BlockPosition, Block], tuple[Change, ...]]:
    inputs = edit.get("clear_tool_inputs") or ()
    edited: dict[BlockPosition, Block] = {}
    changes: list[Change] = []
    for call, result in chosen:
        _change(
            messages,
            edited,
            changes,
            result.message_index,
            result.block_index,
            clear_block(result.block),
            call,
            counter,
        )
        if inputs is True or (not isinstance(inputs, bool) and call.name in inputs):
            place, block = _find_call(messages[call.message_index], call)
            emptied = {**block, "input": {}}
            _change(messages, edited, changes, call.message_index, place, emptied, call, counter)
    return edited, tuple(changes)


def _change(
    messages: Sequence[Message],
    edited: dict[BlockPosition, Block],
    changes: list[Change],
    message_index: int,
    block_index: int,
    block: Block,
    call: Call,
    counter: TokenCounter,
) -> None:
    old = messages[message_index].content[block_index]
    part = "input" if block.get("type") == "tool_use" else "result"
    edited[message_index, block_index] = block
    changes.append(
        Change(
            ChangeKind.REPLACED,
            messages[message_index].uuid,
            counter((old,)),
            counter((block,)),
            f"The API would clear this {part} of {call.name}.",
            call.id,
        )
    )


def _find_call(message: Message, call: Call) -> tuple[int, Block]:
    return next((place, block) for place, block in enumerate(message.content) if block.get("id") == call.id)


def _value(setting: Any, usual: int) -> int:
    return setting["value"] if isinstance(setting, Mapping) and isinstance(setting.get("value"), int) else usual
