"""Applies overlays to records: placeholders of collapsed spans, and results that were replaced or cleared."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.chain.walk import Walk
from sessions.context.engine.client_versions import ClientBehaviour
from sessions.context.engine.rendering.overlays import CLEARED, CollapsedSpan, Overlays
from sessions.context.engine.rendering.pictures import name_media
from sessions.context.engine.rendering.records import Placement, RenderedRecord
from sessions.transcripts.engine.messages import Block, Message, MessageKind, replace_fields, text_block


def place_spans(
    segments: Sequence[Segment], spans: Sequence[CollapsedSpan], walk: Walk
) -> dict[int, CollapsedSpan | None]:
    """Position -> the span that replaces it; None for the rest of the span."""
    order = [position for segment in segments for position in segment.positions]
    places = {walk.rows[position].uuid: place for place, position in enumerate(order)}
    folded: dict[int, CollapsedSpan | None] = {}
    for span in spans:
        first, last = places.get(span.first), places.get(span.last)
        if first is None or last is None or first > last:
            continue
        for position in order[first : last + 1]:
            folded[position] = None
        folded[order[first]] = span
    return folded


def render_span(span: CollapsedSpan) -> RenderedRecord:
    message = Message("user", (text_block(span.summary),), MessageKind.SUMMARY, position=span.position)
    return RenderedRecord(message, Placement.ROW)


def give_user_role(record: RenderedRecord, behaviour: ClientBehaviour) -> RenderedRecord:
    """The same record for a model that does not accept the role `system`."""
    place = (
        Placement.NOTE
        if record.is_user_role_during_turn
        else Placement.RESULT
        if behaviour.adds_notes_to_parts
        else Placement.WORDS
    )
    return RenderedRecord(replace_fields(record.message, role="user", content=record.user_blocks), place, record.exact)


def name_seen_media(record: RenderedRecord, types: tuple[str, ...]) -> RenderedRecord:
    """A record of the user as it is sent once it was answered."""
    message = name_media(record.message, types)
    return record if message is record.message else replace(record, message=message)


def apply_overlays(record: RenderedRecord, overlays: Overlays) -> RenderedRecord:
    """A result as it is sent after a record replaced or cleared its text."""
    if not overlays.replaced and not overlays.cleared:
        return record
    blocks = tuple(_replace_result(block, overlays) for block in record.message.content)
    return (
        record
        if blocks == record.message.content
        else RenderedRecord(replace_fields(record.message, content=blocks), record.placement, record.exact)
    )


def _replace_result(block: Block, overlays: Overlays) -> Block:
    tool = block.get("tool_use_id")
    if not isinstance(tool, str):
        return block
    if tool in overlays.replaced:
        return {**block, "content": overlays.replaced[tool][0]}
    return {**block, "content": CLEARED} if tool in overlays.cleared else block
