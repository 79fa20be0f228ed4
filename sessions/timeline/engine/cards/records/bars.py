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
from sessions.weights.engine import Basis, BoundarySize, PromptSize, Weight, estimate_text

_BARS = ("compact_boundary", "microcompact_boundary", "snip_boundary", "snip-boundary")
_HOW = {"auto": "automatically", "manual": "by hand"}
_CONTINUED = "This session is being continued from a previous conversation"


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


def summary_weight(text: str, size: BoundarySize | None) -> Weight | None:
    """As it was sent; estimated until that was measured. None without a summary."""
    if size is not None and size.summary is not None:
        return size.summary
    return Weight(estimate_text(text), Basis.ESTIMATED) if text else None


def bar(row: Row, summary: Row | None, lens: Lens, size: BoundarySize | None = None) -> Card:
    """`size`: as it was measured; without it, what the client recorded."""
    record = row.record
    subtype = as_text(record.get("subtype"))
    if record.get("type") == "marble-origami-commit":
        body = _fold(as_text(record.get("summaryContent")), lens)
        return make_card(
            CardKind.BAR, row, lens, "Collapsed", "Collapsed: a span of messages gave way to its summary.", parts=body
        )
    if subtype == "microcompact_boundary":
        return make_card(
            CardKind.BAR, row, lens, "Cleared", _clearing_sentence(as_dict(record.get("microcompactMetadata")), size)
        )
    if subtype.startswith("snip"):
        removed = len(as_list(as_dict(record.get("snipMetadata")).get("removedUuids")))
        removed_phrase = plural(removed, "record") if removed else "an unknown number of records"
        return make_card(
            CardKind.BAR, row, lens, "Snipped", f"Snipped: {removed_phrase} left the context. The text stays here."
        )
    return _compaction(row, summary, lens, size)


def _compaction(row: Row, summary: Row | None, lens: Lens, size: BoundarySize | None) -> Card:
    metadata = as_dict(row.record.get("compactMetadata"))
    words = summary_text(summary.record) if summary else ""
    took, after = as_number(metadata.get("durationMs")), as_number(metadata.get("postTokens"))
    facts = drop_empty(
        f"took {duration(took)}" if took is not None else "",
        f"{tokens(after, estimate=True)} tokens after, messages only, as the client expected"
        if after is not None
        else "",
        "no summary beside it" if not summary else "",
    )
    body = _fold(words, lens)
    card = make_card(
        CardKind.BAR, row, lens, "Compacted", _compaction_sentence(metadata, words, lens, size), facts=facts, parts=body
    )
    return replace(card, rows=(row.position, summary.position)) if summary else card


def summary_bar(row: Row, lens: Lens, size: BoundarySize | None = None) -> Card:
    """A summary without its boundary, which is before the window or was never written."""
    words = summary_text(row.record)
    length = _in_words(summary_weight(words, size))
    body = _fold(words, lens)
    return make_card(
        CardKind.BAR, row, lens, "Summary", f"Summary: {length} tokens stand for the talk so far.", parts=body
    )


def _in_words(weight: Weight | None) -> str:
    return UNKNOWN if weight is None else tokens(weight.tokens, estimate=bool(weight.mark))


def _compaction_sentence(metadata: dict[str, Any], summary: str, lens: Lens, size: BoundarySize | None) -> str:
    trigger = as_text(metadata.get("trigger"))
    how = _HOW.get(trigger) or (f"({lens.line(trigger, 40)})" if trigger else "(trigger unknown)")
    before = size_before(metadata, None if size is None else size.before)
    start = f"Compacted {how} at {before} tokens." if before else f"Compacted {how}, size before {UNKNOWN}."
    count = as_int(metadata.get("messagesSummarized"))
    subject = plural(count, "record") if count is not None else "The conversation"
    length = _in_words(summary_weight(summary, size))
    middle = f" {subject} became a summary" if summary or count else ""
    middle += f" of {length} tokens" if summary else ""
    kept_phrase = _kept_phrase(metadata)
    if not middle:
        return start + (f" {kept_phrase[:1].upper()}{kept_phrase[1:]}." if kept_phrase else "")
    return f"{start}{middle}{f'; {kept_phrase}' if kept_phrase else ''}."


def size_before(metadata: dict[str, Any], measured: PromptSize | None) -> str:
    """As measured; else as the client recorded it; empty if nothing tells."""
    recorded = as_number(metadata.get("preTokens"))
    if measured is not None and measured.whole is not None:
        return _in_words(measured.whole)
    return tokens(recorded, estimate=True) if recorded is not None else ""


def _kept_phrase(metadata: dict[str, Any]) -> str:
    count = len(as_list(as_dict(metadata.get("preservedMessages")).get("uuids")))
    if count:
        # Not all of them are sent: some only say how long a turn took.
        return f"the client names the last {plural(count, 'record') if count > 1 else 'record'} as kept"
    return "the client kept the last records, their number unknown" if as_dict(metadata.get("preservedSegment")) else ""


def _clearing_sentence(metadata: dict[str, Any], measured: BoundarySize | None) -> str:
    trigger = as_text(metadata.get("trigger"))
    count = len(as_list(metadata.get("compactedToolIds")))
    attachments = len(as_list(metadata.get("clearedAttachmentUUIDs")))
    before, saved = (
        size_before(metadata, None if measured is None else measured.before),
        as_number(metadata.get("tokensSaved")),
    )
    cleared = " and ".join(
        drop_empty(
            plural(count, "tool result") if count else "", plural(attachments, "attachment") if attachments else ""
        )
    )
    how = f" {_HOW[trigger]}" if trigger in _HOW else ""
    size = f" at {before} tokens" if before else ""
    if measured is not None and measured.after is not None:
        saved = measured.before.weight.tokens - measured.after.weight.tokens
    freed = f", {tokens(saved, estimate=True)} tokens freed" if saved is not None else ", tokens freed: unknown"
    return f"Cleared{how}{size}: {cleared or 'an unknown number of tool results'}{freed}. The originals stay here."


def _fold(body: str, lens: Lens) -> tuple[Part, ...]:
    summary = lens.prose(body, SUMMARY)
    return (Fold("Summary", summary),) if summary else ()
