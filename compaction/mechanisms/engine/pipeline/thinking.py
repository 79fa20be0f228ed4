"""Thinking that cannot be sent any more: of another model, or bound to what no longer precedes it.

Newer models sign everything before a thinking block. An edit that was made before the block was written is part of what
was signed; one that is made afterwards kills it, and it has to be left out from then on. So for each block a print is
kept of what stood before it in the request that it answered.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from compaction.mechanisms.engine.conversation.api_turns import api_turns_of
from compaction.mechanisms.engine.conversation.kept_range import has_to_think_first
from compaction.mechanisms.engine.fingerprint import fingerprint
from compaction.mechanisms.engine.report import (
    Change,
    ChangeKind,
    Outcome,
    Report,
)
from sessions.transcripts.engine.messages import Block, Message, replace_fields
from sessions.usage.engine.model_facts import facts_of
from sessions.usage.engine.model_names import bare_name
from sessions.usage.engine.tokens import TokenCounter, estimate

MECHANISM = "dead thinking"
FOREIGN = "foreign thinking"
_THINKING = ("thinking", "redacted_thinking")


@dataclass(frozen=True, slots=True)
class Bound:
    prints: Mapping[str, str] = field(default_factory=dict)
    """Of each thinking block, what stood before it."""
    sent: str = ""
    """Print of the latest request in full."""
    last: str = ""
    """The last message in it."""


def without_dead_thinking(
    whole: Sequence[Message], shown: Sequence[Message], bound: Bound, model: str, counter: TokenCounter
) -> Outcome[Bound]:
    """`whole` is the conversation before this request, `shown` the view of it that is about to be sent."""
    before = estimate(shown, counter)
    facts = facts_of(model)
    if facts is None or not facts.prefix_bound:
        why = "Thinking is not bound to what precedes it, as far as is known of this model."
        return Outcome(shown, Report(MECHANISM, False, why, before, before), bound)
    signed = {**_fresh(whole, bound), **bound.prints}
    now, sent = _prints(shown)
    dead = {key for key, print_ in now.items() if signed.get(key, print_) != print_}
    living, changes = _without(
        shown,
        lambda _, __, key: key in dead,
        lambda _: "Something before this thinking was changed after the model had signed it.",
        counter,
    )
    after = before - sum(change.tokens_before - change.tokens_after for change in changes)
    left = "1 thinking block is" if len(dead) == 1 else f"{len(dead)} thinking blocks are"
    why = f"{left} left out." if dead else "All thinking still holds."
    report = Report(MECHANISM, bool(dead), why, before, after, tuple(changes))
    last = shown[-1].uuid if shown else ""
    return Outcome(living if dead else shown, report, Bound(signed, sent, last))


def without_foreign_thinking(shown: Sequence[Message], model: str, counter: TokenCounter) -> Outcome[None]:
    """After a switch, what another model thought is left out: some refuse it, some lose it without a word. A model that
    has to think first goes on with a turn of another only if that begins with thinking, whoever thought it."""
    before = estimate(shown, counter)
    others = {one for one in {message.model for message in shown} if one and model and _other(one, model)}
    taken_over = _taken_over(shown, others) if others and has_to_think_first(model) else frozenset()
    kept, changes = _without(
        shown,
        lambda at, message, _: message.model in others and at not in taken_over,
        lambda message: f"{message.model} thought it, and {model} is asked.",
        counter,
    )
    after = before - sum(change.tokens_before - change.tokens_after for change in changes)
    left = "an answer" if len(changes) == 1 else f"{len(changes)} answers"
    why = f"The thinking of {left} is left out." if changes else "No other model thought."
    report = Report(FOREIGN, bool(changes), why, before, after, tuple(changes))
    return Outcome(kept if changes else shown, report, None)


def _without(
    shown: Sequence[Message],
    is_gone: Callable[[int, Message, str], bool],
    why: Callable[[Message], str],
    counter: TokenCounter,
) -> tuple[list[Message], list[Change]]:
    """The messages without the thinking blocks that are gone, by their keys; one of which nothing is left goes too."""
    kept, changes = [], []
    for at, message in enumerate(shown):
        content = tuple(block for block in message.content if not ((key := _key(block)) and is_gone(at, message, key)))
        if len(content) == len(message.content):
            kept.append(message)
            continue
        what = ChangeKind.REPLACED if content else ChangeKind.REMOVED
        changes.append(Change(what, message.uuid, counter(message.content), counter(content), why(message)))
        if content:
            kept.append(replace_fields(message, content=content))
    return kept, changes


def _taken_over(shown: Sequence[Message], others: Container[str]) -> frozenset[int]:
    """The messages of turns that others began and the model that is asked goes on with, or went on with: those stay as
    they were, so that later requests begin with the same bytes."""
    loops = api_turns_of(shown)
    found: set[int] = set()
    for head, end in pairwise((*loops.heads, len(shown))):
        answers = [message for message in shown[head:end] if message.role == "assistant"]
        if head == loops.latest or not all(message.model in others for message in answers):
            found.update(range(head, end))
    return frozenset(found)


def _other(model: str, asked: str) -> bool:
    return (bare_name(model) or model) != (bare_name(asked) or asked)


def _fresh(whole: Sequence[Message], bound: Bound) -> dict[str, str]:
    """What was signed by the answers that came since: the latest request, and what was said after it."""
    place = next((at for at in range(len(whole) - 1, -1, -1) if whole[at].uuid == bound.last), None)
    if not bound.sent or place is None:
        return _prints(whole)[0]
    return _prints(whole[place + 1 :], bound.sent)[0]


def _prints(messages: Sequence[Message], chain: str = "") -> tuple[dict[str, str], str]:
    """What stands before each thinking block, thinking apart; and a print of all of it."""
    prints: dict[str, str] = {}
    for message in messages:
        for block in message.content:
            if key := _key(block):
                prints.setdefault(key, chain)
            else:
                chain = fingerprint([message.role, block], chain)
    return prints, chain


def _key(block: Block) -> str:
    """Names a thinking block; nothing for others."""
    if block.get("type") not in _THINKING:
        return ""
    return fingerprint(block.get("signature") or block.get("data"))[:16]
