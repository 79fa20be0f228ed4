"""The places where the context changed as a whole: compactions, clearings, snips, collapses, as full-width bars."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sessions.text.engine.words import (
    UNKNOWN,
    duration,
    plural,
    tokens,
)
from sessions.timeline.engine.cards.card import (
    Card,
    Fold,
    Kind,
    Part,
)
from sessions.timeline.engine.cards.draft import draft
from sessions.timeline.engine.cards.lens import SUMMARY, Lens
from sessions.timeline.engine.cards.safe_get import (
    content_of,
    items,
    joined,
    number,
    table,
    text,
    whole,
)
from sessions.timeline.engine.cards.tools.call import known
from sessions.transcripts.engine.rows import Record, Row

_BARS = ("compact_boundary", "microcompact_boundary", "snip_boundary", "snip-boundary")
_HOW = {"auto": "automatically", "manual": "by hand"}
_CONTINUED = "This session is being continued from a previous conversation"
_PER_TOKEN = 4
"""Characters of English prose per token, about; the transcript does not record a summary's own size."""


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
    return joined(content_of(record))


def bar(row: Row, summary: Row | None, lens: Lens) -> Card:
    record = row.record
    subtype = text(record.get("subtype"))
    if record.get("type") == "marble-origami-commit":
        body = _fold(text(record.get("summaryContent")), lens)
        return draft(
            Kind.BAR, row, lens, "Collapsed", "Collapsed: a span of messages gave way to its summary.", parts=body
        )
    if subtype == "microcompact_boundary":
        return draft(Kind.BAR, row, lens, "Cleared", _cleared(table(record.get("microcompactMetadata"))))
    if subtype.startswith("snip"):
        removed = len(items(table(record.get("snipMetadata")).get("removedUuids")))
        what = plural(removed, "record") if removed else "an unknown number of records"
        return draft(Kind.BAR, row, lens, "Snipped", f"Snipped: {what} left the context. The text stays here.")
    return _compaction(row, summary, lens)


def _compaction(row: Row, summary: Row | None, lens: Lens) -> Card:
    metadata = table(row.record.get("compactMetadata"))
    words = summary_text(summary.record) if summary else ""
    took, after = number(metadata.get("durationMs")), number(metadata.get("postTokens"))
    facts = known(
        f"took {duration(took)}" if took is not None else "",
        f"{tokens(after)} tokens after" if after is not None else "",
        "no summary beside it" if not summary else "",
    )
    body = _fold(words, lens)
    card = draft(Kind.BAR, row, lens, "Compacted", _compacted(metadata, words, lens), facts=facts, parts=body)
    return replace(card, rows=(row.position, summary.position)) if summary else card


def summary_bar(row: Row, lens: Lens) -> Card:
    """A summary that stands alone: its boundary is before the window, or the version wrote none."""
    words = summary_text(row.record)
    size = tokens(len(words) / _PER_TOKEN, estimate=True)
    body = _fold(words, lens)
    return draft(Kind.BAR, row, lens, "Summary", f"Summary: {size} tokens stand for the talk so far.", parts=body)


def _compacted(metadata: dict[str, Any], summary: str, lens: Lens) -> str:
    trigger = text(metadata.get("trigger"))
    how = _HOW.get(trigger) or (f"({lens.line(trigger, 40)})" if trigger else "(trigger unknown)")
    before = number(metadata.get("preTokens"))
    start = (
        f"Compacted {how} at {tokens(before)} tokens."
        if before is not None
        else f"Compacted {how}, size before {UNKNOWN}."
    )
    count = whole(metadata.get("messagesSummarized"))
    what = plural(count, "message") if count is not None else "The conversation"
    size = tokens(len(summary) / _PER_TOKEN, estimate=True)
    middle = f" {what} became a {size} summary" if summary else f" {what} became a summary" if count else ""
    kept = _kept(metadata)
    if not middle:
        return start + (f" The last {kept} kept word for word." if kept else "")
    return f"{start}{middle}{f'; the last {kept} kept word for word' if kept else ''}."


def _kept(metadata: dict[str, Any]) -> str:
    count = len(items(table(metadata.get("preservedMessages")).get("uuids")))
    if count:
        return f"{count} are" if count > 1 else "one is"
    return "messages (number unknown) are" if table(metadata.get("preservedSegment")) else ""


def _cleared(metadata: dict[str, Any]) -> str:
    trigger = text(metadata.get("trigger"))
    count = len(items(metadata.get("compactedToolIds")))
    attachments = len(items(metadata.get("clearedAttachmentUUIDs")))
    before, saved = number(metadata.get("preTokens")), number(metadata.get("tokensSaved"))
    what = " and ".join(
        known(
            plural(count, "tool result") if count else "",
            plural(attachments, "attachment") if attachments else "",
        )
    )
    how = f" {_HOW[trigger]}" if trigger in _HOW else ""
    at = f" at {tokens(before)} tokens" if before is not None else ""
    freed = f", {tokens(saved)} tokens freed" if saved is not None else ", tokens freed: unknown"
    return f"Cleared{how}{at}: {what or 'an unknown number of tool results'}{freed}. The originals stay here."


def _fold(body: str, lens: Lens) -> tuple[Part, ...]:
    shown = lens.prose(body, SUMMARY)
    return (Fold("Summary", shown),) if shown else ()
