"""What is sent of an answer. Not all that a model said is sent again: thoughts of another model, calls that never had a
result and texts without a word are left out, in ways that differ between versions of the client."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sessions.context.engine.client_versions import Habits, Sender
from sessions.context.engine.rendering.records import Place, Said, is_blank
from sessions.linking.engine.raw_fields import text
from sessions.transcripts.engine.messages import (
    Block,
    Message,
    MessageKind,
    replace_fields,
    text_block,
)

THINKING = frozenset({"thinking", "redacted_thinking"})
_NONE: frozenset[str] = frozenset()
_PLANNING = "ExitPlanMode"
_PLAN = ("plan", "planFilePath")


def sent_answer(
    answer: Sequence[Said], open_calls: frozenset[str], sender: Sender, *, over: bool, read: bool = False
) -> Sequence[Said]:
    """`open_calls`: those without a result. `over`: none can come any more, because the conversation went on. `read`:
    the client has the answer from the file."""
    lost = open_calls if over else _NONE
    habits = sender.habits
    if not lost and not read and _is_plain(answer, sender.model, plans=habits.filed_plans):
        return answer
    sent = [_sent(one, sender, habits, lost, read=read) for one in answer]
    if habits.emptied and not lost and not read and not any(one.message.content for one in sent):
        return _emptied(sent, answer, habits.emptied)
    alone = not (habits.lone_read if read else habits.lone_thinking)
    alone = alone and all(
        _is_thinking(block) or (read and is_blank(block)) for one in sent for block in one.message.content
    )
    return [_without_content(one) for one in sent] if alone else sent


def open_calls(answer: Sequence[Said], others: Sequence[Said]) -> frozenset[str]:
    """Those that have no result."""
    calls = {
        text(block.get("id")) for one in answer for block in one.message.content if block.get("type") == "tool_use"
    }
    if not calls:
        return _NONE
    for one in others:
        if one.message.kind is MessageKind.RESULT:
            calls.difference_update([text(block.get("tool_use_id")) for block in one.message.content])
    return frozenset(calls) if calls else _NONE


def is_over(others: Sequence[Said]) -> bool:
    """Was something said after the results?"""
    return any(one.message.kind is not MessageKind.RESULT and one.place is Place.ROW for one in others)


def going_on(others: Sequence[Said], habits: Habits) -> Said | None:
    """What the client said to have an answer finished that was cut off, if it did not write that down. `others`: what
    follows the answer."""
    if not habits.going_on or any(one.message.content for one in others):
        return None
    return Said(Message("user", (text_block(habits.going_on),), MessageKind.INJECTED), Place.ROW)


def is_cut(some: Sequence[Said]) -> bool:
    return True in [one.cut for one in some]


def _is_plain(answer: Sequence[Said], model: str, *, plans: bool) -> bool:
    """Is it of this model, and more than thinking? `plans`: those that it made are sent as they are."""
    spoken = not answer
    for one in answer:
        message = one.message
        if model and message.model != model:
            return False
        for block in message.content:
            if not spoken and block.get("type") not in THINKING:
                spoken = True
            if not plans and block.get("name") == _PLANNING:
                return False
    return spoken


def _sent(one: Said, sender: Sender, habits: Habits, lost: frozenset[str], *, read: bool) -> Said:
    message = one.message
    foreign = habits.own_thinking and sender.model and message.model != sender.model
    kept = []
    for block in message.content:
        if (foreign and _is_thinking(block)) or (block.get("type") == "tool_use" and text(block.get("id")) in lost):
            continue
        if read and habits.blanks and is_blank(block):
            continue
        kept.append(block if habits.filed_plans else _without_plan(block, filed=sender.puts_plans))
    content = tuple(kept)
    return one if content == message.content else replace(one, message=replace_fields(message, content=content))


def _emptied(sent: Sequence[Said], answer: Sequence[Said], words: str) -> Sequence[Said]:
    """Nothing is left: the client says so, where there was something."""
    at = next((at for at, one in enumerate(answer) if one.message.content), None)
    if at is None:
        return sent
    told: Block = {"type": "text", "text": words, "citations": []}
    return [
        replace(one, message=replace_fields(one.message, content=(told,))) if n == at else one
        for n, one in enumerate(sent)
    ]


def _without_content(one: Said) -> Said:
    return replace(one, message=replace_fields(one.message, content=())) if one.message.content else one


def _without_plan(block: Block, *, filed: bool) -> Block:
    """`filed`: only a plan that the client put in, with the path of its file."""
    given = block.get("input")
    if block.get("name") != _PLANNING or not isinstance(given, dict):
        return block
    if not any(name in given for name in (_PLAN[1:] if filed else _PLAN)):
        return block
    return {**block, "input": {name: value for name, value in given.items() if name not in _PLAN}}


def _is_thinking(block: Block) -> bool:
    return text(block.get("type")) in THINKING
