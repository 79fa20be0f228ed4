"""Why a message is gone, changed or new, according to the report of a mechanism or the records of the session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from compaction.compare.engine.status import Status
from compaction.mechanisms.engine.pipeline.thinking import MECHANISM as DEAD_THINKING
from compaction.mechanisms.engine.report import ChangeKind
from sessions.context.engine.left_out import LeftOutEntry, LeftOutReason
from sessions.transcripts.engine.messages import Message

_IN_THE_CACHE = "cached microcompact"
_BY_MECHANISM = {
    "budget": Status.PERSISTED,
    "microcompact": Status.CLEARED,
    _IN_THE_CACHE: Status.CLEARED,
    "clear_tool_uses": Status.CLEARED,
    "clear_thinking": Status.CHANGED,
    "snip": Status.SNIPPED,
    "collapse": Status.COLLAPSED,
    "session memory": Status.SUMMARISED,
    "full compact": Status.SUMMARISED,
    "partial compact": Status.SUMMARISED,
}
_BY_REASON = {
    LeftOutReason.SUMMARISED: (Status.SUMMARISED, "A summary stands in its place."),
    LeftOutReason.SNIPPED: (Status.SNIPPED, "It was removed from the conversation."),
    LeftOutReason.CLEARED: (Status.CLEARED, "The text of its result was cleared; it is in the entry."),
    LeftOutReason.PERSISTED: (Status.PERSISTED, "The text of its result is on disk; a preview stays."),
    LeftOutReason.COLLAPSED: (Status.COLLAPSED, "It was folded into the summary of a span."),
    LeftOutReason.ABANDONED: (Status.DROPPED, "The session went back, and goes on without it."),
    LeftOutReason.SIDECHAIN: (Status.DROPPED, "It belongs to a sub-agent, which has a context of its own."),
    LeftOutReason.UNSENT: (Status.DROPPED, "It is for the client or the person only."),
}


class Cause(NamedTuple):
    status: Status | None
    """What became of it, where the cause tells."""
    words: str
    by: int | None = None
    """The position of the record that says so."""
    only_in_cache: bool = False
    """It was taken out of the server's cache alone: the array keeps it."""
    dead: bool = False
    """Its thinking no longer held, and was left out."""


@dataclass(frozen=True, slots=True)
class Causes:
    """Causes by the name of a message: its uuid, or `L` and its position."""

    removed: Mapping[str, Cause] = field(default_factory=dict)
    rewritten: Mapping[str, Cause] = field(default_factory=dict)
    added: Mapping[str, Cause] = field(default_factory=dict)
    otherwise: str = "No record says why."
    """Of a message that is gone without a cause."""


def message_name(message: Message) -> str:
    return message.uuid or ("" if message.position is None else f"L{message.position}")


def find_cause(message: Message, causes: Mapping[str, Cause]) -> Cause | None:
    cause = causes.get(message.uuid) if message.uuid else None
    return cause or (causes.get(f"L{message.position}") if message.position is not None else None)


def causes_of_report(report: Mapping[str, Any]) -> Causes:
    """`report`: the stored report of a compaction. Several mechanisms may have changed one message."""
    causes = Causes({}, {}, {})
    kinds = {ChangeKind.REMOVED: causes.removed, ChangeKind.REPLACED: causes.rewritten, ChangeKind.ADDED: causes.added}
    for stage in report.get("stages", ()):
        status = _BY_MECHANISM.get(stage["mechanism"])
        for change in stage["changes"]:
            causes_by_uuid = kinds[ChangeKind(change["what"])]
            assert isinstance(causes_by_uuid, dict)
            cause = Cause(
                status,
                change["why"],
                only_in_cache=stage["mechanism"] == _IN_THE_CACHE,
                dead=stage["mechanism"] == DEAD_THINKING,
            )
            causes_by_uuid[change["uuid"]] = _combine(causes_by_uuid.get(change["uuid"]), cause)
    return causes


def _combine(first: Cause | None, second: Cause) -> Cause:
    if first is None:
        return second
    words = first.words if second.words in first.words else f"{first.words} {second.words}"
    return Cause(
        first.status or second.status,
        words,
        None,
        first.only_in_cache or second.only_in_cache,
        first.dead or second.dead,
    )


def causes_of_left_out(left: Iterable[LeftOutEntry], start: int = -1) -> Causes:
    """`left`: what the later context leaves out, according to the session's records; `start`: its boundary.

    Whether a record of the client is sent depends on what precedes it. One that the earlier context had was sent, so it
    left with the others.
    """
    causes = {}
    for entry in left:
        left_with_summary = entry.reason is LeftOutReason.UNSENT and entry.position < start
        status, words = _BY_REASON[LeftOutReason.SUMMARISED if left_with_summary else entry.reason]
        causes[f"L{entry.position}"] = Cause(status, words, start if left_with_summary else entry.by)
    return Causes(causes, causes)
