"""Makes a conversation valid with the least change, and says what was changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from sessions.lint.engine.binding import Side, dead_spots
from sessions.lint.engine.mending.altered import mend_altered
from sessions.lint.engine.mending.blocks import mend_blocks, mend_thinking
from sessions.lint.engine.mending.calls import mend_calls, mend_order, mend_roles
from sessions.lint.engine.mending.draft import Draft, Repair, draft_of
from sessions.lint.engine.mending.ends import mend_beginning, mend_empty, mend_end
from sessions.lint.engine.reading import Row, text_of
from sessions.lint.engine.rules.roles import takes_up_a_refusal
from sessions.transcripts.engine.messages import Message, MessageKind, replace_fields
from sessions.usage.engine.model_facts import facts_of

_MOST_ROUNDS = 100
"""A few are enough; if two steps ever undid each other, this ends it."""
_DEAD = "Something before it was changed, and the model had signed it."


@dataclass(frozen=True, slots=True)
class _Aim:
    """What the conversation is repaired for."""

    model: str | None
    before: Side | None
    body: Mapping[str, Any] | None = None
    sending: bool = False


def repair(
    messages: Sequence[Any], *, model: str | None = None, before: Side | None = None, sending: bool = False
) -> tuple[list[Any], list[Repair]]:
    """Makes an array valid: calls and results paired and in order, nothing empty, a user message first.

    `before` is the array, or the body, that this one was made from: with it and the `model`, thinking that the edit has
    killed is left out. `sending` says that the array goes to the model as it is: an answer at its end is then left out
    if the model would not continue it. A valid array is returned with the very objects that it had.
    """
    draft = _mended(draft_of(messages, recorded=False), messages, _Aim(model, before, sending=sending))
    return _array(draft, messages), draft.repairs


def repair_request(
    body: Mapping[str, Any], model: str | None = None, *, before: Side | None = None
) -> tuple[Mapping[str, Any], list[Repair]]:
    """A body whose messages are made valid, to be sent to the model that it names, or to the one given."""
    found = body.get("messages")
    messages = found if isinstance(found, list) else []
    named = model or text_of(body.get("model"))
    aim = _Aim(named, before, body, sending=not takes_up_a_refusal(body))
    draft = _mended(draft_of(messages, recorded=False), messages, aim)
    return {**body, "messages": _array(draft, messages)} if draft.repairs else body, draft.repairs


def repair_messages(
    messages: Sequence[Message], *, model: str | None = None, before: Side | None = None, sending: bool = False
) -> tuple[list[Message], list[Repair]]:
    """The same for records: the array that they are joined to is made valid.

    Records that need no change are the same objects. What is added gets an id that follows from what it answers, so
    that it is the same each time.
    """
    draft = _mended(draft_of(messages, recorded=True), messages, _Aim(model, before, sending=sending))
    return [_record(draft, row, messages) for row in draft.rows], draft.repairs


def strip_dead_thinking(before: Side, after: Sequence[Any], model: str | None) -> tuple[list[Any], list[Repair]]:
    """Leaves out the thinking blocks of `after` that held in `before` and no longer do, and nothing else.

    A message that consisted of them goes as a whole.
    """
    draft = draft_of(after, recorded=False)
    draft.drop_spots(dead_spots(before, draft.rows, model), _DEAD)
    mend_empty(draft, lambda row: True)
    return _array(draft, after), draft.repairs


def _mended(draft: Draft, messages: Sequence[Any], aim: _Aim) -> Draft:
    """Until nothing is left to do: what one step takes out, another may have counted on."""
    for _ in range(_MOST_ROUNDS):
        done = len(draft.repairs)
        if aim.before is not None:
            draft.drop_spots(dead_spots(aim.before, draft.rows, aim.model, body=aim.body), _DEAD)
            mend_altered(draft, aim.before, aim.model)
        mend_roles(draft)
        mend_blocks(draft)
        mend_calls(draft)
        mend_order(draft)
        mend_thinking(draft)
        mend_empty(draft, lambda row: draft.recorded or row.role == "system")
        mend_end(draft, facts_of(aim.model) if aim.sending else None)
        mend_beginning(draft)
        if done == len(draft.repairs):
            break
    return draft


def _array(draft: Draft, messages: Sequence[Any]) -> list[Any]:
    if not draft.repairs:
        return messages if isinstance(messages, list) else list(messages)
    return [_element(draft, row, messages) for row in draft.rows]


def _element(draft: Draft, row: Row, messages: Sequence[Any]) -> Any:
    if draft.is_untouched(row):
        return messages[row.index]
    origin: Mapping[str, Any] = messages[row.index] if row.index >= 0 else {"role": row.role}
    return {**origin, "content": [spot.block for spot in row.spots]}


def _record(draft: Draft, row: Row, messages: Sequence[Message]) -> Message:
    if draft.is_untouched(row):
        return messages[row.index]
    content = tuple(spot.block for spot in row.spots)
    if row.index >= 0:
        return replace_fields(messages[row.index], content=content)
    answered = content[0].get("tool_use_id")
    uuid = str(uuid5(NAMESPACE_OID, f"lucid repair {answered or content[0].get('text')}"))
    return Message("user", content, MessageKind.RESULT if answered else MessageKind.INJECTED, uuid)
