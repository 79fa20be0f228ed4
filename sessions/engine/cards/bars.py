"""The places where the context changed as a whole: compactions, clearings, snips, collapses, as full-width bars."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sessions.engine.cards.card import Card, Fold, Kind, Part
from sessions.engine.cards.draft import draft
from sessions.engine.cards.lens import SUMMARY, Lens
from sessions.engine.cards.loose import content_of, items, joined, number, table, text, whole
from sessions.engine.cards.tools.call import known
from sessions.engine.rows import Record, Row
from sessions.engine.words import UNKNOWN, duration, plural, tokens

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
        body = text(record.get("summaryContent"))
        return _card(
            row, "Collapsed", "A span of earlier messages was replaced by its summary.", _fold(body, lens), lens
        )
    if subtype == "microcompact_boundary":
        return _card(row, "Cleared", _cleared(table(record.get("microcompactMetadata"))), (), lens)
    if subtype.startswith("snip"):
        removed = len(items(table(record.get("snipMetadata")).get("removedUuids")))
        what = (
            plural(removed, "record") + (" was" if removed == 1 else " were")
            if removed
            else "An unknown number of records was"
        )
        return _card(row, "Snipped", f"{what} taken out of the context. The text stays here.", (), lens)
    metadata = table(record.get("compactMetadata"))
    body = summary_text(summary.record) if summary else ""
    card = _card(row, "Compacted", _compacted(metadata, body, lens), _fold(body, lens), lens)
    took, after = number(metadata.get("durationMs")), number(metadata.get("postTokens"))
    facts = known(
        f"took {duration(took)}" if took is not None else "",
        f"{tokens(after)} tokens after" if after is not None else "",
        "no summary beside it" if not summary else "",
    )
    return replace(card, facts=facts, rows=(row.position, *((summary.position,) if summary else ())))


def summary_bar(row: Row, lens: Lens) -> Card:
    """A summary that stands alone: its boundary is before the window, or the version wrote none."""
    body = summary_text(row.record)
    size = tokens(len(body) / _PER_TOKEN, estimate=True)
    return _card(
        row, "Summary", f"A summary of {size} tokens stands for the conversation so far.", _fold(body, lens), lens
    )


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


def _card(row: Row, title: str, sentence: str, parts: tuple[Part, ...], lens: Lens) -> Card:
    return draft(Kind.BAR, row, lens, title, sentence, parts=parts)
