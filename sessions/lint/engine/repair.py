"""Makes a conversation valid with as few changes as possible, and says what was changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from sessions.lint.engine.repairs.altered_thinking import repair_altered
from sessions.lint.engine.repairs.blocks import repair_blocks, repair_trailing_thinking
from sessions.lint.engine.repairs.calls import repair_calls, repair_order, repair_roles
from sessions.lint.engine.repairs.draft import Draft, Repair, start_draft
from sessions.lint.engine.repairs.ends import repair_beginning, repair_empty, repair_end
from sessions.lint.engine.request_reader import MessageRow, text_of
from sessions.lint.engine.rules.roles import continues_refused_answer
from sessions.lint.engine.thinking_binding import Conversation, find_dead_spots
from sessions.transcripts.engine.messages import Message, MessageKind, replace_fields
from sessions.usage.engine.model_facts import facts_of

_MAX_ROUNDS = 100
"""A few rounds are enough; this stops two steps that undo each other."""
_DEAD = "Something before it was changed, and the model had signed it."


@dataclass(frozen=True, slots=True)
class _RepairGoal:
    """What the conversation is repaired for."""

    model: str | None
    before: Conversation | None
    body: Mapping[str, Any] | None = None
    sending: bool = False


def repair(
    messages: Sequence[Any], *, model: str | None = None, before: Conversation | None = None, sending: bool = False
) -> tuple[list[Any], list[Repair]]:
    """Make an array valid: calls and results paired and in order, nothing empty, a user message first.

    `before` is the array, or the body, that this one was made from: with it and the `model`, thinking that the edit
    made invalid is left out. `sending` says that the array goes to the model as it is: an answer at its end is then
    left out if the model would not continue it. A valid array is returned with the same objects.
    """
    draft = _repair_draft(start_draft(messages, recorded=False), messages, _RepairGoal(model, before, sending=sending))
    return _repaired_array(draft, messages), draft.repairs


def repair_request(
    body: Mapping[str, Any], model: str | None = None, *, before: Conversation | None = None
) -> tuple[Mapping[str, Any], list[Repair]]:
    """A body with valid messages, for the model that it names or the one given."""
    content = body.get("messages")
    messages = content if isinstance(content, list) else []
    named = model or text_of(body.get("model"))
    aim = _RepairGoal(named, before, body, sending=not continues_refused_answer(body))
    draft = _repair_draft(start_draft(messages, recorded=False), messages, aim)
    return {**body, "messages": _repaired_array(draft, messages)} if draft.repairs else body, draft.repairs


def repair_messages(
    messages: Sequence[Message], *, model: str | None = None, before: Conversation | None = None, sending: bool = False
) -> tuple[list[Message], list[Repair]]:
    """The same for records: the array that they are joined to becomes valid.

    Records that need no change are the same objects. A record that is added gets an id made from what it answers, so
    that it is the same each time.
    """
    draft = _repair_draft(start_draft(messages, recorded=True), messages, _RepairGoal(model, before, sending=sending))
    return [_repaired_record(draft, row, messages) for row in draft.rows], draft.repairs


def strip_dead_thinking(
    before: Conversation, after: Sequence[Any], model: str | None
) -> tuple[list[Any], list[Repair]]:
    """Leave out the thinking blocks of `after` that were valid in `before` and no longer are, and nothing else.

    A message that consisted of them goes as a whole.
    """
    draft = start_draft(after, recorded=False)
    draft.drop_spots(find_dead_spots(before, draft.rows, model), _DEAD)
    repair_empty(draft, lambda row: True)
    return _repaired_array(draft, after), draft.repairs


def _repair_draft(draft: Draft, messages: Sequence[Any], aim: _RepairGoal) -> Draft:
    """Repeat all steps until nothing changes: one step may remove what another relied on."""
    for _ in range(_MAX_ROUNDS):
        repair_count = len(draft.repairs)
        if aim.before is not None:
            draft.drop_spots(find_dead_spots(aim.before, draft.rows, aim.model, body=aim.body), _DEAD)
            repair_altered(draft, aim.before, aim.model)
        repair_roles(draft)
        repair_blocks(draft)
        repair_calls(draft)
        repair_order(draft)
        repair_trailing_thinking(draft)
        repair_empty(draft, lambda row: draft.is_records or row.role == "system")
        repair_end(draft, facts_of(aim.model) if aim.sending else None)
        repair_beginning(draft)
        if repair_count == len(draft.repairs):
            break
    return draft


def _repaired_array(draft: Draft, messages: Sequence[Any]) -> list[Any]:
    if not draft.repairs:
        return messages if isinstance(messages, list) else list(messages)
    return [_repaired_message(draft, row, messages) for row in draft.rows]


def _repaired_message(draft: Draft, row: MessageRow, messages: Sequence[Any]) -> Any:
    if draft.is_untouched(row):
        return messages[row.index]
    origin: Mapping[str, Any] = messages[row.index] if row.index >= 0 else {"role": row.role}
    return {**origin, "content": [spot.block for spot in row.spots]}


def _repaired_record(draft: Draft, row: MessageRow, messages: Sequence[Message]) -> Message:
    if draft.is_untouched(row):
        return messages[row.index]
    content = tuple(spot.block for spot in row.spots)
    if row.index >= 0:
        return replace_fields(messages[row.index], content=content)
    answered = content[0].get("tool_use_id")
    uuid = str(uuid5(NAMESPACE_OID, f"lucid repair {answered or content[0].get('text')}"))
    return Message("user", content, MessageKind.RESULT if answered else MessageKind.INJECTED, uuid)
