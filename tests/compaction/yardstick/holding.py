"""Compacts what preceded a boundary, and holds the result against the next request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compaction.kinds.engine import CompactionResult, KindError, Parameters, apply_kind, kind_named
from compaction.mechanisms.engine import Effects
from compaction.mechanisms.engine.attachments import FileHistory, find_process, surroundings_of
from compaction.mechanisms.engine.guards.recompaction import is_just_compacted
from sessions.context.engine import context_at
from sessions.transcripts.engine.messages import Message, replace_fields
from tests.compaction.yardstick.boundaries import RecordedBoundary
from tests.compaction.yardstick.causes import cause_of
from tests.compaction.yardstick.parts import PARTS, first_difference, our_parts, sent_parts


@dataclass(frozen=True)
class Verdict:
    boundary: RecordedBoundary
    declined: str
    """Why nothing was compacted; empty if it was."""
    differences: dict[str, str]
    """Part -> what differs first in it; empty if nothing does."""
    causes: dict[str, str]
    """Part -> why it differs, where that is known."""

    @property
    def is_exact(self) -> bool:
        return not self.declined and not any(self.differences.values())

    @property
    def unexplained(self) -> list[str]:
        """The parts that differ without a known cause."""
        return [part for part, difference in self.differences.items() if difference and not self.causes[part]]


def hold(boundary: RecordedBoundary) -> Verdict:
    try:
        result = compact_again(boundary)
    except KindError as error:
        return Verdict(boundary, str(error), {}, {})
    if not result.done:
        return Verdict(boundary, result.why, {}, {})
    sent, ours = sent_parts(boundary, result), our_parts(boundary, result)
    differences = {part: first_difference(sent[part], ours[part]) for part in PARTS}
    causes = {part: cause_of(part, boundary, sent[part], ours[part]) if differences[part] else "" for part in PARTS}
    return Verdict(boundary, "", differences, causes)


def compact_again(boundary: RecordedBoundary) -> CompactionResult:
    """The same compaction, made here, with the summary that the client got."""
    context = context_at(boundary.before)
    reply = f"<summary>\n{boundary.summary}\n</summary>"
    log = boundary.before
    # Counts from before its latest boundary say nothing about its size.
    messages = [
        replace_fields(message, usage=None) if (message.position or 0) < context.start else message
        for message in context.messages
    ]

    def record_of(message: Message) -> Mapping[str, Any] | None:
        return None if message.position is None else log.record(message.position)

    def is_streamed(position: int) -> bool:
        return isinstance(log.record(position)["message"]["content"], list)

    files = FileHistory.of(messages, record_of)
    effects = Effects(
        summarise=lambda request: reply,
        read_file=files.read,
        records=record_of,
        client=boundary.version,
        surroundings=surroundings_of(messages, record_of, files, find_process(log.rows, is_streamed)),
    )
    # A compaction that did not help is followed by a usual one.
    refusal = "" if is_just_compacted(messages) else boundary.refusal
    kind = kind_named("auto" if refusal else boundary.kind)
    return apply_kind(
        kind,
        messages,
        Parameters(pivot=boundary.pivot if boundary.direction else ""),
        effects=effects,
        now=0.0,
        model=context.model,
        error=refusal,
    )
