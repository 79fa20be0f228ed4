"""Describes a comparison in a sentence: what happened, and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compaction.compare.engine.comparison import Comparison, StatusCount
from compaction.compare.engine.status import Status
from compaction.trail.engine.attribution import Attribution, attribute
from sessions.text.engine.words import UNKNOWN, plural, tokens
from sessions.timeline.engine.cards.lens import Mask
from sessions.timeline.engine.cards.records.bars import size_before
from sessions.timeline.engine.cards.safe_get import as_dict, as_text
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.weights.engine import PromptSize

_HOW = {"auto": "automatically", "manual": "by hand"}
_TITLES = {
    "microcompact_boundary": "Results cleared",
    "snip_boundary": "Snipped",
    "snip-boundary": "Snipped",
    "content-replacement": "Results put on disk",
    "marble-origami-commit": "Collapsed",
}
_FATES = {
    Status.COLLAPSED: "{} collapsed",
    Status.SNIPPED: "{} snipped",
    Status.CLEARED: "{} lost the text of its result",
    Status.PERSISTED: "{} went to disk, with a preview in its place",
    Status.CHANGED: "{} changed",
    Status.DROPPED: "{} dropped",
    Status.ADDED: "{} added",
    Status.KEPT: "{} kept word for word",
}
_MANY = {
    Status.CLEARED: "{} lost the text of their results",
    Status.PERSISTED: "{} went to disk, with a preview in their place",
}


def recorded_title(record: Mapping[str, Any], before: PromptSize | None = None) -> str:
    """What a record of the session did to the context. `before`: the size of that context."""
    kind = as_text(record.get("subtype")) or as_text(record.get("type"))
    if kind in _TITLES:
        return _TITLES[kind]
    metadata = as_dict(record.get("compactMetadata"))
    how = _HOW.get(as_text(metadata.get("trigger")), "(trigger unknown)")
    size = size_before(metadata, before)
    return f"Compacted {how} at {size + ' tokens' if size else 'a size that is ' + UNKNOWN}"


def sentence(comparison: Comparison) -> str:
    """What became of the records, each of which is a row of the comparison."""
    counts = {count.status: count for count in comparison.counts()}
    parts = []
    if (summarised := counts.pop(Status.SUMMARISED, None)) is not None:
        parts.append(_describe_summary(summarised, comparison))
    parts += [_describe_count(status, counts[status]) for status in _FATES if status in counts]
    outcome = "; ".join(parts) or "both contexts are empty"
    return f"{outcome[0].upper()}{outcome[1:]}."


def find_summary(comparison: Comparison) -> Message | None:
    """The summary that only the later context has."""
    place = _place_of_summary(comparison)
    return None if place is None else comparison.after[place]


def _place_of_summary(comparison: Comparison) -> int | None:
    added = (row.after for row in comparison.rows if row.status is Status.ADDED and row.after is not None)
    return next(
        (
            index
            for index in added
            if comparison.after[index].kind is MessageKind.SUMMARY and comparison.after[index].content
        ),
        None,
    )


def _describe_summary(count: StatusCount, comparison: Comparison) -> str:
    place = _place_of_summary(comparison)
    records = plural(count.rows, "record")
    if place is None:
        return f"{records} went into a summary"
    return f"{records} became a summary of {tokens(comparison.weight_after[place], estimate=True)} tokens"


def _describe_count(status: Status, count: StatusCount) -> str:
    form = _MANY.get(status, _FATES[status]) if count.rows > 1 else _FATES[status]
    return form.format(plural(count.rows, "record"))


def trace_summary(comparison: Comparison, summary: str, mask: Mask) -> Attribution | None:
    """Which sentences of the summary the replaced messages went into; None if there is no summary.

    The summary is masked as a whole, as on its own page, so that sentences have the same numbers."""
    summarised = (row.before for row in comparison.rows if row.status is Status.SUMMARISED)
    messages = [comparison.before[index] for index in summarised if index is not None]
    return attribute(mask(summary), messages) if summary and messages else None
