"""Frequent compactions are a sign that their summaries are too long, so each notes how it came about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.compaction.record import Compaction
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Message, MessageKind


@dataclass(frozen=True, slots=True)
class Recompaction:
    is_one: bool
    turns_since: int
    """Responses of the model since the last compaction, or since the beginning."""
    last_id: str
    """Of the boundary of the last one."""
    threshold: int
    source: str

    @property
    def sentence(self) -> str:
        answers = plural(self.turns_since, "answer")
        first = f"It is the first of this conversation, after {answers}."
        return f"It follows another one after {answers}." if self.is_one else first


def track_recompaction(
    messages: Sequence[Message], last: Compaction | None, threshold: int, source: str
) -> Recompaction:
    # A conversation that the client itself compacted begins with a summary.
    start = next((index + 1 for index in range(len(messages) - 1, -1, -1) if _is_summary(messages[index])), 0)
    earlier = messages[start - 1].uuid if start else ""
    if last is not None:
        ends = {last.inserted[-1].uuid, *(message.uuid for message in last.appended)}
        start = next((index + 1 for index in range(len(messages) - 1, -1, -1) if messages[index].uuid in ends), 0)
    answers = {message.message_id or message.uuid for message in messages[start:] if message.kind is MessageKind.ANSWER}
    last_id = last.boundary.uuid if last is not None else earlier
    return Recompaction(bool(last_id), len(answers), last_id, threshold, source)


def is_just_compacted(messages: Sequence[Message]) -> bool:
    """Whether it begins with a summary that no answer has followed. Kept messages beside it have no token counts any
    more."""
    start = next((index + 1 for index in range(len(messages) - 1, -1, -1) if _is_summary(messages[index])), 0)
    return start > 0 and all(message.usage is None for message in messages[start:])


def _is_summary(message: Message) -> bool:
    return message.kind is MessageKind.SUMMARY and message.role == "user"
