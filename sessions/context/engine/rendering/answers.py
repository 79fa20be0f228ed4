"""What is sent of an answer. Thinking of another model, calls without a result and blank texts are left out, in ways
that differ between versions of the client."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sessions.context.engine.client_versions import ClientBehaviour, Sender
from sessions.context.engine.rendering.records import Placement, RenderedRecord, is_blank
from sessions.linking.engine.raw_fields import text
from sessions.transcripts.engine.messages import THINKING_TYPES, Block, Message, MessageKind, replace_fields, text_block

_NONE: frozenset[str] = frozenset()
_PLANNING = "ExitPlanMode"
_PLAN = ("plan", "planFilePath")


def render_answer(
    answer: Sequence[RenderedRecord],
    open_calls: frozenset[str],
    sender: Sender,
    *,
    is_over: bool,
    from_file: bool = False,
) -> Sequence[RenderedRecord]:
    """`open_calls`: those without a result. `is_over`: no more results can come, because the conversation went on.
    `from_file`: the client has read the answer from the file."""
    lost = open_calls if is_over else _NONE
    behaviour = sender.behaviour
    if not lost and not from_file and _is_sent_unchanged(answer, sender.model, plans=behaviour.sends_filed_plans):
        return answer
    sent = [_drop_unsent(record, sender, behaviour, lost, from_file=from_file) for record in answer]
    if (
        behaviour.emptied_answer_text
        and not lost
        and not from_file
        and not any(record.message.content for record in sent)
    ):
        return _replace_emptied(sent, answer, behaviour.emptied_answer_text)
    alone = not (behaviour.sends_lone_thinking_after_resume if from_file else behaviour.sends_lone_thinking)
    alone = alone and all(
        _is_thinking(block) or (from_file and is_blank(block)) for record in sent for block in record.message.content
    )
    return [_without_content(record) for record in sent] if alone else sent


def open_calls(answer: Sequence[RenderedRecord], others: Sequence[RenderedRecord]) -> frozenset[str]:
    """The ids of the calls that have no result."""
    calls = {
        text(block.get("id"))
        for record in answer
        for block in record.message.content
        if block.get("type") == "tool_use"
    }
    if not calls:
        return _NONE
    for record in others:
        if record.message.kind is MessageKind.RESULT:
            calls.difference_update([text(block.get("tool_use_id")) for block in record.message.content])
    return frozenset(calls) if calls else _NONE


def has_later_words(others: Sequence[RenderedRecord]) -> bool:
    """Does something follow the results?"""
    return any(record.message.kind is not MessageKind.RESULT and record.placement is Placement.ROW for record in others)


def continuation_of(others: Sequence[RenderedRecord], behaviour: ClientBehaviour) -> RenderedRecord | None:
    """The message that asks the model to go on after an answer was cut off, if the client did not record one. `others`:
    what follows the answer."""
    if not behaviour.continuation_text or any(record.message.content for record in others):
        return None
    return RenderedRecord(
        Message("user", (text_block(behaviour.continuation_text),), MessageKind.INJECTED), Placement.ROW
    )


def has_cut_off(records: Sequence[RenderedRecord]) -> bool:
    return True in [record.is_cut_off for record in records]


def _is_sent_unchanged(answer: Sequence[RenderedRecord], model: str, *, plans: bool) -> bool:
    """Was the answer written by this model, and is it more than thinking? `plans`: calls with a plan are sent as they
    are."""
    spoken = not answer
    for record in answer:
        message = record.message
        if model and message.model != model:
            return False
        for block in message.content:
            if not spoken and block.get("type") not in THINKING_TYPES:
                spoken = True
            if not plans and block.get("name") == _PLANNING:
                return False
    return spoken


def _drop_unsent(
    record: RenderedRecord, sender: Sender, behaviour: ClientBehaviour, lost: frozenset[str], *, from_file: bool
) -> RenderedRecord:
    message = record.message
    foreign = behaviour.drops_foreign_thinking and sender.model and message.model != sender.model
    blocks = []
    for block in message.content:
        if (foreign and _is_thinking(block)) or (block.get("type") == "tool_use" and text(block.get("id")) in lost):
            continue
        if from_file and behaviour.sends_blank_texts and is_blank(block):
            continue
        blocks.append(block if behaviour.sends_filed_plans else _without_plan(block, filed=sender.sends_written_plans))
    content = tuple(blocks)
    return record if content == message.content else replace(record, message=replace_fields(message, content=content))


def _replace_emptied(
    sent: Sequence[RenderedRecord], answer: Sequence[RenderedRecord], words: str
) -> Sequence[RenderedRecord]:
    """Put a placeholder where the client left nothing of an answer (2.1.160 to 2.1.197)."""
    index = next((index for index, record in enumerate(answer) if record.message.content), None)
    if index is None:
        return sent
    block: Block = {"type": "text", "text": words, "citations": []}
    return [
        replace(record, message=replace_fields(record.message, content=(block,))) if n == index else record
        for n, record in enumerate(sent)
    ]


def _without_content(record: RenderedRecord) -> RenderedRecord:
    return replace(record, message=replace_fields(record.message, content=())) if record.message.content else record


def _without_plan(block: Block, *, filed: bool) -> Block:
    """`filed`: remove only a plan that the client put in, with the path of its file."""
    tool_input = block.get("input")
    if block.get("name") != _PLANNING or not isinstance(tool_input, dict):
        return block
    if not any(name in tool_input for name in (_PLAN[1:] if filed else _PLAN)):
        return block
    return {**block, "input": {name: value for name, value in tool_input.items() if name not in _PLAN}}


def _is_thinking(block: Block) -> bool:
    return text(block.get("type")) in THINKING_TYPES
