"""A compaction as a record: from it and the whole conversation, the shortened view is rebuilt byte for byte.

Dropping the record restores the whole conversation, because nothing is ever rewritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from compaction.mechanisms.engine.compaction.boundary import (
    Boundary,
    Direction,
    PreservedMessages,
    PreservedSegment,
    Trigger,
)
from compaction.mechanisms.engine.compaction.continuation import summary_message
from compaction.mechanisms.engine.fingerprint import fingerprint
from compaction.mechanisms.engine.identity import derived_id
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import TokenCounter, context_tokens, estimate


class CompactionMethod(StrEnum):
    SESSION_MEMORY = "session_memory"
    FULL = "full"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class CoveredRange:
    """A range of messages, by its ends. `print` is a fingerprint, because other messages may have the same ids."""

    first: str
    last: str
    count: int
    print: str


@dataclass(frozen=True, slots=True)
class Compaction:
    """The view is: boundary, messages before the covered ones, `inserted`, messages after the covered ones,
    `appended`."""

    way: CompactionMethod
    boundary: Boundary
    covered: CoveredRange
    inserted: tuple[Message, ...]
    """The summary first."""
    appended: tuple[Message, ...] = ()
    tail: str = ""
    """The last message at that time: the appended ones follow it, and later messages follow them."""
    at: float | None = None
    direction: Direction | None = None
    """Of a partial compaction."""
    text: str = ""
    """The summary without the words around it; empty in compactions of versions that did not keep it."""

    @property
    def summary(self) -> Message:
        return self.inserted[0]

    def to_records(self) -> list[dict[str, object]]:
        """The boundary and the summary as the transcript holds them, without the envelope."""
        boundary, summary = self.boundary, self.summary
        row: dict[str, object] = {
            "parentUuid": boundary.uuid,
            "type": "user",
            "message": {"role": "user", "content": summary.content[0]["text"]},
            "isCompactSummary": True,
            "uuid": summary.uuid,
        }
        if self.direction is not None:
            row["summarizeMetadata"] = {
                "messagesSummarized": boundary.messages_summarized,
                "direction": str(self.direction),
            }
        return [boundary.to_record(), row]


@dataclass(frozen=True, slots=True)
class Cut:
    """Which messages a compaction summarises: those from `start` up to `stop`."""

    start: int
    stop: int


def build_compaction(
    messages: Sequence[Message],
    cut: Cut,
    *,
    way: CompactionMethod,
    trigger: Trigger,
    text: str,
    summary: str = "",
    added: Sequence[Message],
    counter: TokenCounter,
    now: float | None,
    direction: Direction | None = None,
) -> Compaction:
    """`text` is that of the summary message, which holds the `summary`. `added` follows it: attachments, then what
    hooks returned."""
    covered = messages[cut.start : cut.stop]
    kept_messages = [message for message in (*messages[: cut.start], *messages[cut.stop :]) if message.content]
    covered_print = _print(covered)
    boundary_id = derive_boundary_id(messages)
    message = summary_message(text, derived_id("summary", boundary_id), now)
    follows = cut.stop < len(messages)
    boundary = Boundary(
        uuid=boundary_id,
        trigger=trigger,
        pre_tokens=context_tokens(messages, counter=counter),
        messages_summarized=sum(1 for message in covered if message.content),
        discovered_tools=called_tool_names(messages),
        logical_parent_uuid=messages[-1].uuid,
    )
    if kept_messages:
        anchor = message.uuid if follows else boundary_id
        ids = tuple(message.uuid for message in kept_messages)
        boundary = replace(
            boundary,
            preserved_segment=PreservedSegment(ids[0], anchor, ids[-1]),
            preserved_messages=PreservedMessages(anchor, ids, ids),
        )
    compaction = Compaction(
        way=way,
        boundary=boundary,
        covered=CoveredRange(covered[0].uuid, covered[-1].uuid, len(covered), covered_print),
        inserted=(message,) if follows else (message, *added),
        appended=tuple(added) if follows else (),
        tail=messages[-1].uuid if follows else "",
        at=now,
        direction=direction,
        text=summary,
    )
    post = estimate(compacted_view(messages, cut, compaction), counter)
    return replace(compaction, boundary=replace(boundary, post_tokens=post))


def derive_boundary_id(messages: Sequence[Message]) -> str:
    """The id for the boundary of a compaction of these messages. Ids of attachments are derived from it."""
    return derived_id("boundary", messages[0].uuid, messages[-1].uuid, str(len(messages)))


def compacted_view(messages: Sequence[Message], cut: Cut, compaction: Compaction) -> list[Message]:
    return [
        compaction.boundary.to_message(compaction.at),
        *messages[: cut.start],
        *compaction.inserted,
        *messages[cut.stop :],
        *compaction.appended,
    ]


def replay_compactions(messages: Sequence[Message], compactions: Sequence[Compaction]) -> list[Message]:
    """The view of the whole conversation. A compaction that these messages already include is skipped."""
    return replay_with_misfits(messages, compactions)[0]


def replay_with_misfits(
    messages: Sequence[Message], compactions: Sequence[Compaction]
) -> tuple[list[Message], list[Compaction]]:
    """The same, and the latest compactions that do not fit because they were made from other messages."""
    current = list(messages)
    unfit: list[Compaction] = []
    for compaction in compactions:
        view = _apply(current, compaction)
        if view is None and not any(message.uuid == compaction.summary.uuid for message in current):
            unfit.append(compaction)
            continue
        # Each was made from the view after the ones before it, so a view that includes it includes those too.
        unfit.clear()
        current = current if view is None else view
    return current, unfit


def _apply(messages: list[Message], compaction: Compaction) -> list[Message] | None:
    start = _find_start(messages, compaction.covered)
    if start is None:
        return None
    rest = messages[start + compaction.covered.count :]
    if compaction.tail:
        tail = next((index for index, message in enumerate(rest) if message.uuid == compaction.tail), None)
        if tail is None:
            return None
        rest[tail + 1 : tail + 1] = compaction.appended
    return [compaction.boundary.to_message(compaction.at), *messages[:start], *compaction.inserted, *rest]


def rebase(compaction: Compaction, view_messages: Sequence[Message], whole: Sequence[Message]) -> Compaction:
    """The same compaction, but of the whole conversation instead of a view, which may lack messages and hold
    placeholders for others.

    The result can be replayed on the whole.
    """
    start = _find_start(view_messages, compaction.covered)
    assert start is not None, "a compaction covers messages of the view that it was made from"
    stop = start + compaction.covered.count
    places = {message.uuid: index for index, message in enumerate(whole)}
    indexes = [places[message.uuid] for message in view_messages[start:stop] if message.uuid in places]
    first = 0 if start == 0 else min(indexes, default=len(whole) - 1)
    if stop == len(view_messages):
        end = len(whole)
    elif view_messages[stop].uuid in places:
        end = places[view_messages[stop].uuid]
    else:
        end = max(indexes, default=first) + 1
    covered = whole[first:end]
    ends = CoveredRange(covered[0].uuid, covered[-1].uuid, len(covered), _print(covered))
    tail = whole[-1].uuid if compaction.tail else ""
    return replace(compaction, covered=ends, tail=tail)


def called_tool_names(messages: Sequence[Message]) -> tuple[str, ...]:
    names = {str(block.get("name")) for message in messages for block in message.content if "input" in block}
    return tuple(sorted(names))


def _find_start(messages: Sequence[Message], covered: CoveredRange) -> int | None:
    for index, message in enumerate(messages):
        if message.uuid != covered.first:
            continue
        run = messages[index : index + covered.count]
        if len(run) == covered.count and run[-1].uuid == covered.last and _print(run) == covered.print:
            return index
    return None


def _print(run: Sequence[Message]) -> str:
    return fingerprint([run[0].content, run[-1].content, [message.uuid for message in run]])
