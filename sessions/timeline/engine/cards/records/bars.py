"""Bars across the timeline where the whole context changed: compactions, clearings, snips, collapses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sessions.text.engine.words import UNKNOWN, duration, plural, tokens
from sessions.timeline.engine.cards.card import Card, CardKind, Fold, Part
from sessions.timeline.engine.cards.draft import make_card
from sessions.timeline.engine.cards.lens import SUMMARY, Lens
from sessions.timeline.engine.cards.safe_get import (
    as_dict,
    as_int,
    as_list,
    as_number,
    as_text,
    joined_text,
    message_content,
)
from sessions.timeline.engine.cards.tools.call import drop_empty
from sessions.transcripts.engine.rows import Record, Row

_BARS = ("compact_boundary", "microcompact_boundary", "snip_boundary", "snip-boundary")
_HOW = {"auto": "automatically", "manual": "by hand"}
_CONTINUED = "This session is being continued from a previous conversation"
_CHARS_PER_TOKEN = 4
"""Roughly, for English prose: transcripts do not record the size of a summary."""


def is_bar(record: Record) -> bool:
    if record.get("type") == "marble-origami-commit":
        return True
    return record.get("type") == "system" and record.get("subtype") in _BARS


def is_summary(record: Record) -> bool:
    if record.get("type") != "user":
        return False
    if record.get("isCompactSummary") is True:
        return True
    return summary_text(record).startswith(_CONTINUED)


def summary_text(record: Record) -> str:
    return joined_text(message_content(record))


def bar(row: Row, summary: Row | None, lens: Lens) -> Card:
    record = row.record
    subtype = as_text(record.get("subtype"))
    if record.get("type") == "marble-origami-commit":
        body = _fold(as_text(record.get("summaryContent")), lens)
        return make_card(
            CardKind.BAR, row, lens, "Collapsed", "Collapsed: a span of messages gave way to its summary.", parts=body
        )
    if subtype == "microcompact_boundary":
        return make_card(
            CardKind.BAR, row, lens, "Cleared", _clearing_sentence(as_dict(record.get("microcompactMetadata")))
        )
    if subtype.startswith("snip"):
        removed = len(as_list(as_dict(record.get("snipMetadata")).get("removedUuids")))
        removed_phrase = plural(removed, "record") if removed else "an unknown number of records"
        return make_card(
            CardKind.BAR, row, lens, "Snipped", f"Snipped: {removed_phrase} left the context. The text stays here."
        )
    return _compaction(row, summary, lens)


def _compaction(row: Row, summary: Row | None, lens: Lens) -> Card:
    metadata = as_dict(row.record.get("compactMetadata"))
    words = summary_text(summary.record) if summary else ""
    took, after = as_number(metadata.get("durationMs")), as_number(metadata.get("postTokens"))
    facts = drop_empty(
        f"took {duration(took)}" if took is not None else "",
        f"{tokens(after)} tokens after" if after is not None else "",
        "no summary beside it" if not summary else "",
    )
    body = _fold(words, lens)
    card = make_card(
        CardKind.BAR, row, lens, "Compacted", _compaction_sentence(metadata, words, lens), facts=facts, parts=body
    )
    return replace(card, rows=(row.position, summary.position)) if summary else card


def summary_bar(row: Row, lens: Lens) -> Card:
    """A summary without its boundary, which is before the window or was never written."""
    words = summary_text(row.record)
    size = tokens(len(words) / _CHARS_PER_TOKEN, estimate=True)
    body = _fold(words, lens)
    return make_card(
        CardKind.BAR, row, lens, "Summary", f"Summary: {size} tokens stand for the talk so far.", parts=body
    )


def _compaction_sentence(metadata: dict[str, Any], summary: str, lens: Lens) -> str:
    trigger = as_text(metadata.get("trigger"))
    how = _HOW.get(trigger) or (f"({lens.line(trigger, 40)})" if trigger else "(trigger unknown)")
    before = as_number(metadata.get("preTokens"))
    start = (
        f"Compacted {how} at {tokens(before)} tokens."
        if before is not None
        else f"Compacted {how}, size before {UNKNOWN}."
    )
    count = as_int(metadata.get("messagesSummarized"))
    subject = plural(count, "message") if count is not None else "The conversation"
    size = tokens(len(summary) / _CHARS_PER_TOKEN, estimate=True)
    middle = f" {subject} became a {size} summary" if summary else f" {subject} became a summary" if count else ""
    kept_phrase = _kept_phrase(metadata)
    if not middle:
        return start + (f" The last {kept_phrase} kept word for word." if kept_phrase else "")
    return f"{start}{middle}{f'; the last {kept_phrase} kept word for word' if kept_phrase else ''}."


def _kept_phrase(metadata: dict[str, Any]) -> str:
    count = len(as_list(as_dict(metadata.get("preservedMessages")).get("uuids")))
    if count:
        return f"{count} are" if count > 1 else "one is"
    return "messages (number unknown) are" if as_dict(metadata.get("preservedSegment")) else ""


def _clearing_sentence(metadata: dict[str, Any]) -> str:
    trigger = as_text(metadata.get("trigger"))
    count = len(as_list(metadata.get("compactedToolIds")))
    attachments = len(as_list(metadata.get("clearedAttachmentUUIDs")))
    before, saved = as_number(metadata.get("preTokens")), as_number(metadata.get("tokensSaved"))
    cleared = " and ".join(
        drop_empty(
            plural(count, "tool result") if count else "", plural(attachments, "attachment") if attachments else ""
        )
    )
    how = f" {_HOW[trigger]}" if trigger in _HOW else ""
    size = f" at {tokens(before)} tokens" if before is not None else ""
    freed = f", {tokens(saved)} tokens freed" if saved is not None else ", tokens freed: unknown"
    return f"Cleared{how}{size}: {cleared or 'an unknown number of tool results'}{freed}. The originals stay here."


def _fold(body: str, lens: Lens) -> tuple[Part, ...]:
    summary = lens.prose(body, SUMMARY)
    return (Fold("Summary", summary),) if summary else ()
