"""A comparison in a sentence: what happened, and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compaction.compare.engine.comparison import Comparison, Count
from compaction.compare.engine.status import Status
from compaction.trail.engine.attribution import Attribution, attribute
from sessions.text.engine.words import UNKNOWN, plural, tokens
from sessions.timeline.engine.cards.lens import Mask
from sessions.timeline.engine.cards.safe_get import as_dict, as_number, as_text
from sessions.transcripts.engine.messages import Message, MessageKind

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


def recorded_title(record: Mapping[str, Any]) -> str:
    """What a record of the session did to what is sent."""
    kind = as_text(record.get("subtype")) or as_text(record.get("type"))
    if kind in _TITLES:
        return _TITLES[kind]
    metadata = as_dict(record.get("compactMetadata"))
    how = _HOW.get(as_text(metadata.get("trigger")), "(trigger unknown)")
    size = as_number(metadata.get("preTokens"))
    return f"Compacted {how} at {tokens(size) + ' tokens' if size is not None else 'a size that is ' + UNKNOWN}"


def sentence(found: Comparison) -> str:
    """What became of the messages."""
    counts = {count.status: count for count in found.counts()}
    parts = []
    if (gone := counts.pop(Status.SUMMARISED, None)) is not None:
        parts.append(_summarised(gone, found))
    parts += [_told(status, counts[status]) for status in _FATES if status in counts]
    told = "; ".join(parts) or "both contexts are empty"
    return f"{told[0].upper()}{told[1:]}."


def summary_in(found: Comparison) -> Message | None:
    """The summary that the latter context has and the former had not."""
    place = _place_of_summary(found)
    return None if place is None else found.after[place]


def _place_of_summary(found: Comparison) -> int | None:
    added = (row.after for row in found.rows if row.status is Status.ADDED and row.after is not None)
    return next((at for at in added if found.after[at].kind is MessageKind.SUMMARY and found.after[at].content), None)


def _summarised(gone: Count, found: Comparison) -> str:
    place = _place_of_summary(found)
    what = plural(gone.rows, "message")
    if place is None:
        return f"{what} went into a summary"
    return f"{what} became a summary of {tokens(found.weight_after[place], estimate=True)} tokens"


def _told(status: Status, count: Count) -> str:
    form = _MANY.get(status, _FATES[status]) if count.rows > 1 else _FATES[status]
    return form.format(plural(count.rows, "message"))


def traced(found: Comparison, summary: str, mask: Mask) -> Attribution | None:
    """Which sentences of the summary the messages went into that it stands for; None if there is no summary.

    It is masked as a whole, as where it is shown: the sentences have the same numbers."""
    gone = (row.before for row in found.rows if row.status is Status.SUMMARISED)
    messages = [found.before[at] for at in gone if at is not None]
    return attribute(mask(summary), messages) if summary and messages else None
