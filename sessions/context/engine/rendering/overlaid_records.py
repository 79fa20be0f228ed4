"""Puts what other records say of a record into it: placeholders of collapsed spans, results that were taken away."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.chain.walk import Walk
from sessions.context.engine.client_versions import Habits
from sessions.context.engine.rendering.overlays import CLEARED, Overlays, Span
from sessions.context.engine.rendering.records import Place, Said
from sessions.transcripts.engine.messages import (
    Block,
    Message,
    MessageKind,
    replace_fields,
    text_block,
)


def folded_in(segments: Sequence[Segment], spans: Sequence[Span], walk: Walk) -> dict[int, Span | None]:
    """Position -> the span that stands in its place; None for the rest of the span."""
    order = [position for segment in segments for position in segment.positions]
    places = {walk.rows[position].uuid: place for place, position in enumerate(order)}
    folded: dict[int, Span | None] = {}
    for span in spans:
        first, last = places.get(span.first), places.get(span.last)
        if first is None or last is None or first > last:
            continue
        for position in order[first : last + 1]:
            folded[position] = None
        folded[order[first]] = span
    return folded


def placeholder(span: Span) -> Said:
    message = Message("user", (text_block(span.summary),), MessageKind.SUMMARY, position=span.position)
    return Said(message, Place.ROW)


def as_user(one: Said, habits: Habits) -> Said:
    """How a model is told it that does not take the role `system`."""
    place = Place.NOTE if one.passing else Place.RESULT if habits.told_in_parts else Place.WORDS
    return Said(replace_fields(one.message, role="user", content=one.tagged), place, one.exact)


def overlaid(one: Said, overlays: Overlays) -> Said:
    """A result as it is sent now, if a record took its text away."""
    if not overlays.replaced and not overlays.cleared:
        return one
    blocks = tuple(_replaced(block, overlays) for block in one.message.content)
    return (
        one
        if blocks == one.message.content
        else Said(replace_fields(one.message, content=blocks), one.place, one.exact)
    )


def _replaced(block: Block, overlays: Overlays) -> Block:
    tool = block.get("tool_use_id")
    if not isinstance(tool, str):
        return block
    if tool in overlays.replaced:
        return {**block, "content": overlays.replaced[tool][0]}
    return {**block, "content": CLEARED} if tool in overlays.cleared else block
