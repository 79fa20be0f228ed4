"""Drops thinking that can no longer be sent: thinking of another model, or bound to messages that no longer precede it.

Newer models sign everything before a thinking block. An edit that was made before the block was written is part of what
was signed; one that is made afterwards kills it, and it has to be left out from then on. So for each block a
fingerprint is kept of what preceded it in the request that it answered.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from compaction.mechanisms.engine.conversation.api_turns import api_turns_of
from compaction.mechanisms.engine.conversation.kept_range import has_to_think_first
from compaction.mechanisms.engine.fingerprint import fingerprint
from compaction.mechanisms.engine.report import Change, ChangeKind, Outcome, Report
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import THINKING_TYPES, Block, Message, replace_fields
from sessions.usage.engine.model_facts import facts_of
from sessions.usage.engine.model_names import bare_name
from sessions.usage.engine.tokens import TokenCounter, estimate

MECHANISM = "dead thinking"
FOREIGN = "foreign thinking"


@dataclass(frozen=True, slots=True)
class ThinkingPrints:
    prints: Mapping[str, str] = field(default_factory=dict)
    """By thinking block, the fingerprint of what preceded it."""
    sent: str = ""
    """The fingerprint of the whole latest request."""
    last: str = ""
    """The last message of that request."""


def without_dead_thinking(
    whole: Sequence[Message], view: Sequence[Message], bound: ThinkingPrints, model: str, counter: TokenCounter
) -> Outcome[ThinkingPrints]:
    """`whole` is the conversation before this request, `view` is what is about to be sent of it."""
    before = estimate(view, counter)
    facts = facts_of(model)
    if facts is None or not facts.prefix_bound:
        why = "Thinking is not bound to what precedes it, as far as is known of this model."
        return Outcome(view, Report(MECHANISM, False, why, before, before), bound)
    signed = {**_prints_since(whole, bound), **bound.prints}
    prints, sent = _prints(view)
    dead = {key for key, print_ in prints.items() if signed.get(key, print_) != print_}
    living, changes = _drop_thinking(
        view,
        lambda _, __, key: key in dead,
        lambda _: "Something before this thinking was changed after the model had signed it.",
        counter,
    )
    after = before - sum(change.tokens_before - change.tokens_after for change in changes)
    left = plural(len(dead), "thinking block is", "thinking blocks are")
    why = f"{left} left out: the model had signed what stood before, and that has changed."
    why = why if dead else "All thinking still holds."
    report = Report(MECHANISM, bool(dead), why, before, after, tuple(changes))
    last = view[-1].uuid if view else ""
    return Outcome(living if dead else view, report, ThinkingPrints(signed, sent, last))


def without_foreign_thinking(view: Sequence[Message], model: str, counter: TokenCounter) -> Outcome[None]:
    """Leaves out what another model thought, after a switch: some refuse it, some lose it silently. A model that has to
    think first continues a turn of another model only if that begins with thinking, no matter whose."""
    before = estimate(view, counter)
    others = {name for name in {message.model for message in view} if name and model and _is_other_model(name, model)}
    continued = _continued_turns(view, others) if others and has_to_think_first(model) else frozenset()
    remaining, changes = _drop_thinking(
        view,
        lambda index, message, _: message.model in others and index not in continued,
        lambda message: f"{message.model} thought it, and {model} is asked.",
        counter,
    )
    after = before - sum(change.tokens_before - change.tokens_after for change in changes)
    left = plural(len(changes), "answer")
    why = f"The thinking of {left} by another model is left out." if changes else "No other model thought."
    report = Report(FOREIGN, bool(changes), why, before, after, tuple(changes))
    return Outcome(remaining if changes else view, report, None)


def _drop_thinking(
    view: Sequence[Message],
    is_gone: Callable[[int, Message, str], bool],
    why: Callable[[Message], str],
    counter: TokenCounter,
) -> tuple[list[Message], list[Change]]:
    """The messages without the thinking blocks that `is_gone` names; a message of which nothing is left goes too."""
    remaining, changes = [], []
    for index, message in enumerate(view):
        content = tuple(
            block for block in message.content if not ((key := _key(block)) and is_gone(index, message, key))
        )
        if len(content) == len(message.content):
            remaining.append(message)
            continue
        kind = ChangeKind.REPLACED if content else ChangeKind.REMOVED
        changes.append(Change(kind, message.uuid, counter(message.content), counter(content), why(message)))
        if content:
            remaining.append(replace_fields(message, content=content))
    return remaining, changes


def _continued_turns(view: Sequence[Message], others: Container[str]) -> frozenset[int]:
    """Indexes of the turns that other models began and this one continues, or continued earlier: those stay as they
    were, so that later requests begin with the same bytes."""
    loops = api_turns_of(view)
    indexes: set[int] = set()
    for head, end in pairwise((*loops.heads, len(view))):
        answers = [message for message in view[head:end] if message.role == "assistant"]
        if head == loops.latest or not all(message.model in others for message in answers):
            indexes.update(range(head, end))
    return frozenset(indexes)


def _is_other_model(model: str, requested: str) -> bool:
    return (bare_name(model) or model) != (bare_name(requested) or requested)


def _prints_since(whole: Sequence[Message], bound: ThinkingPrints) -> dict[str, str]:
    """What the answers since the latest request have signed: that request, and what came after it."""
    last_index = next((index for index in range(len(whole) - 1, -1, -1) if whole[index].uuid == bound.last), None)
    if not bound.sent or last_index is None:
        return _prints(whole)[0]
    return _prints(whole[last_index + 1 :], bound.sent)[0]


def _prints(messages: Sequence[Message], chain: str = "") -> tuple[dict[str, str], str]:
    """The fingerprint of what precedes each thinking block, other thinking aside, and that of everything."""
    prints: dict[str, str] = {}
    for message in messages:
        for block in message.content:
            if key := _key(block):
                prints.setdefault(key, chain)
            else:
                chain = fingerprint([message.role, block], chain)
    return prints, chain


def _key(block: Block) -> str:
    """The key of a thinking block; empty for other blocks."""
    if block.get("type") not in THINKING_TYPES:
        return ""
    return fingerprint(block.get("signature") or block.get("data"))[:16]
