"""Snip: removes whole turns that are no longer needed from the context; the transcript keeps them.

The model names a turn by a short id that stands at the end of each input of a person. The tags are only in the copy
that is sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import ClassVar

from compaction.mechanisms.engine.conversation.turns import Turn, turns_of
from compaction.mechanisms.engine.report import Change, ChangeKind, Outcome, Report
from compaction.mechanisms.engine.setting_field import setting
from compaction.mechanisms.engine.snip.state import Snip, SnipState, snip_uuid
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Block, Message, MessageKind, replace_fields, text_block
from sessions.usage.engine.tokens import TokenCounter, estimate, estimate_blocks

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_HEX_DIGITS = 10
_LENGTH = 6
_NO_HEX = re.compile(r"[^0-9a-fA-F]")
_LIKE_A_UUID = re.compile(r"[0-9a-fA-F-]{10,}")


@dataclass(frozen=True, slots=True)
class SnipConfig:
    TITLE: ClassVar[str] = "Snip"

    enabled: bool = setting(True, "Whether it is done at all.")
    nudge_every: int = setting(10_000, "Tokens of growth until the model is reminded that it may snip.")


@dataclass(frozen=True, slots=True)
class SnipReport(Report):
    unknown: tuple[str, ...] = ()
    """Ids that no input in the conversation has."""
    refused: tuple[tuple[str, str], ...] = ()
    """Ids of turns that cannot go, and why."""
    removed_uuids: tuple[str, ...] = ()


def short_id(uuid: str) -> str:
    """The first six characters of the first ten hex digits as a number in base 36."""
    digits = _NO_HEX.sub("", uuid) if _LIKE_A_UUID.fullmatch(uuid) else ""
    if len(digits) < _HEX_DIGITS:  # not a uuid; a hash of it is just as stable
        digits = blake2b(uuid.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    number = int(digits[:_HEX_DIGITS], 16)
    written = ""
    while number:
        number, digit = divmod(number, 36)
        written = _DIGITS[digit] + written
    return written[:_LENGTH] or "0"


def tag_inputs(
    messages: Sequence[Message], config: SnipConfig | None = None, *, counter: TokenCounter = estimate_blocks
) -> Outcome[None]:
    """Tags the copy that is sent: each input of a person ends with its `[id:xxxxxx]`."""
    config = config or SnipConfig()
    before = estimate(messages, counter)
    if not config.enabled:
        return Outcome(messages, Report("snip tags", False, "Snip is switched off.", before, before), None)
    sent, changes = list(messages), []
    for index, message in enumerate(messages):
        if _is_input(message):
            sent[index] = _tag(message)
            tokens = counter(message.content), counter(sent[index].content)
            changes.append(
                Change(ChangeKind.REPLACED, message.uuid, *tokens, f"It got the id {short_id(message.uuid)}.")
            )
    after = before + sum(change.tokens_after - change.tokens_before for change in changes)
    why = f"{plural(len(changes), 'input')} can be named by an id." if changes else "There is no input of a person."
    return Outcome(sent, Report("snip tags", bool(changes), why, before, after, tuple(changes)), None)


def untag_inputs(messages: Sequence[Message]) -> Sequence[Message]:
    """The conversation without the tags of the copy that is sent."""
    return [_untag(message) if _is_input(message) else message for message in messages]


def snip(
    messages: Sequence[Message],
    ids: Iterable[str],
    config: SnipConfig | None = None,
    state: SnipState | None = None,
    *,
    reason: str = "",
    counter: TokenCounter = estimate_blocks,
) -> Outcome[SnipState]:
    """Removes the turns with these ids from the context, and all that were removed before."""
    config, state = config or SnipConfig(), state or SnipState()
    requested = list(dict.fromkeys(ids)) if config.enabled else []
    visible = [message for message in messages if message.uuid not in state.removed] if requested else messages
    chosen, unknown, refused = _choose(visible, requested) if requested else ([], [], [])
    removed = tuple(visible[index].uuid for turn in chosen for index in turn.messages)
    if removed:
        named = tuple(short_id(visible[turn.first].uuid) for turn in chosen)
        record = Snip(snip_uuid(removed), removed, named, reason)
        state = replace(state, snips=(*state.snips, record), baseline=None)
    outcome = replay_snips(messages, config, state, counter=counter)
    report = outcome.report
    return Outcome(
        outcome.messages,
        SnipReport(
            report.mechanism,
            report.applied,
            _sentence(report.why, unknown, refused),
            report.tokens_before,
            report.tokens_after,
            report.changes,
            tuple(unknown),
            tuple(refused),
            removed,
        ),
        state,
    )


def replay_snips(
    messages: Sequence[Message],
    config: SnipConfig | None = None,
    state: SnipState | None = None,
    *,
    counter: TokenCounter = estimate_blocks,
) -> Outcome[SnipState]:
    """Repeats recorded snips, on every request and after every resume."""
    config, state = config or SnipConfig(), state or SnipState()
    before = estimate(messages, counter)
    if not config.enabled:
        return Outcome(messages, Report("snip", False, "Snip is switched off.", before, before), state)
    causes = {uuid: record for record in reversed(state.snips) for uuid in record.removed_uuids}
    indexes = [index for index, message in enumerate(messages) if message.uuid in causes]
    changes = tuple(
        Change(
            ChangeKind.REMOVED,
            messages[index].uuid,
            counter(messages[index].content),
            0,
            causes[messages[index].uuid].why,
        )
        for index in indexes
    )
    if not changes:
        return Outcome(messages, Report("snip", False, "Nothing was snipped.", before, before), state)
    without = set(indexes)
    remaining = [message for index, message in enumerate(messages) if index not in without]
    after = before - sum(change.tokens_before for change in changes)
    why = f"{plural(len(indexes), 'record')} left the context; the transcript keeps them."
    return Outcome(remaining, Report("snip", True, why, before, after, changes), state)


def relink_parents(parents: Mapping[str, str | None], removed: Iterable[str]) -> dict[str, str | None]:
    """The new parent of each record whose parent was removed: the nearest ancestor left, None for a new root."""
    removed_uuids = frozenset(removed)
    nearest: dict[str, str | None] = {}
    repaired: dict[str, str | None] = {}
    for uuid, parent in parents.items():
        if uuid in removed_uuids or parent not in removed_uuids:
            continue
        walked: list[str] = []
        current: str | None = parent
        while current is not None and current in removed_uuids and current not in nearest:
            walked.append(current)
            nearest[current] = None  # ends a cycle
            current = parents.get(current)
        ancestor = nearest.get(current, current) if current is not None else None
        nearest.update(dict.fromkeys(walked, ancestor))
        repaired[uuid] = ancestor
    return repaired


def _choose(messages: Sequence[Message], ids: Sequence[str]) -> tuple[list[Turn], list[str], list[tuple[str, str]]]:
    turns = turns_of(messages)
    turns_by_id: dict[str, list[Turn]] = {}
    for turn in turns:
        turns_by_id.setdefault(short_id(messages[turn.first].uuid), []).append(turn)
    chosen: list[Turn] = []
    unknown: list[str] = []
    refused: list[tuple[str, str]] = []
    for name in ids:
        matches = turns_by_id.get(name, [])
        if not matches:
            unknown.append(name)
        elif len(matches) > 1:
            refused.append((name, "Several inputs have this id."))
        elif matches[0].is_open:
            refused.append((name, "This turn is not finished."))
        elif matches[0].is_entangled:
            refused.append((name, "Its results stand in one message with those of another turn."))
        else:
            chosen.append(matches[0])
    if chosen and len(chosen) == len(turns):
        last = max(chosen, key=lambda turn: turn.first)
        chosen.remove(last)
        refused.append((short_id(messages[last.first].uuid), "No input would be left."))
    return sorted(chosen, key=lambda turn: turn.first), unknown, refused


def _is_input(message: Message) -> bool:
    return message.kind is MessageKind.PROMPT and message.role == "user" and bool(message.uuid)


def _tag(message: Message) -> Message:
    tag = f"[id:{short_id(message.uuid)}]"
    content: list[Block] = list(message.content)
    last = content[-1] if content else None
    if last is not None and last.get("type") == "text":
        content[-1] = {**last, "text": f"{last.get('text', '')}\n{tag}"}
    else:
        content.append(text_block(tag))
    return replace_fields(message, content=tuple(content))


def _untag(message: Message) -> Message:
    last = message.content[-1] if message.content else {}
    text, tag = last.get("text"), f"[id:{short_id(message.uuid)}]"
    if not isinstance(text, str) or not text.endswith(tag):
        return message
    without = text.removesuffix(tag).removesuffix("\n")
    rest = () if text == tag else ({**last, "text": without},)
    return replace_fields(message, content=(*message.content[:-1], *rest))


def _sentence(why: str, unknown: Sequence[str], refused: Sequence[tuple[str, str]]) -> str:
    if unknown:
        why += f" No input has the id {', '.join(unknown)}."
    return " ".join([why, *(f"{snip_id} stays: {reason}" for snip_id, reason in refused)])
