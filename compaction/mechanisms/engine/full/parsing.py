"""Extracts the summary from a model's reply: without the draft, and whatever models get wrong about tags."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TAGS = {name: re.compile(rf"<\s*(/?)\s*{name}\b[^<>]*>", re.IGNORECASE) for name in ("analysis", "summary")}


@dataclass(frozen=True, slots=True)
class ParsedSummary:
    summary: str
    """Empty if there was none."""
    has_tags: bool
    """Whether the reply had a summary block at all; without one, all of it counts."""
    is_complete: bool
    """Whether the block was closed: an open one was probably cut off by an output limit."""


def parse_summary(reply: str) -> ParsedSummary:
    text = _without_draft(reply)
    opening = next((tag for tag in _TAGS["summary"].finditer(text) if not tag[1]), None)
    if opening is None:
        closing = next(_TAGS["summary"].finditer(text), None)
        body = text if closing is None else text[: closing.start()]
        return ParsedSummary(_strip_draft(body), has_tags=closing is not None, is_complete=True)
    end = _find_end(text, opening.end(), "summary")
    if end is None:
        return ParsedSummary(_strip_draft(text[opening.end() :]), has_tags=True, is_complete=False)
    return ParsedSummary(_strip_draft(text[opening.end() : end[0]]), has_tags=True, is_complete=True)


def _without_draft(text: str) -> str:
    """Drops the analysis at the beginning. One inside the summary is a quotation, and stays."""
    tag = next(_TAGS["analysis"].finditer(text), None)
    summary = next((tag for tag in _TAGS["summary"].finditer(text) if not tag[1]), None)
    if tag is None or (summary is not None and summary.start() < tag.start()):
        return text
    if tag[1]:  # closed but never opened: everything up to here was the draft
        return text[tag.end() :]
    end = _find_balanced_end(text, tag.end(), "analysis")
    if end is not None:
        return text[: tag.start()] + text[end[1] :]
    # Never closed: the draft ends where the summary begins, or is all there is.
    rest = _TAGS["summary"].search(text, tag.end())
    return text[: tag.start()] + (text[rest.start() :] if rest is not None else "")


def _strip_draft(text: str) -> str:
    """Drops a draft that comes first inside the summary block."""
    stripped = text.strip()
    opening = _TAGS["analysis"].match(stripped)
    if opening is None or opening[1]:
        return stripped
    end = _find_balanced_end(stripped, opening.end(), "analysis")
    return stripped if end is None else stripped[end[1] :].strip()


def _find_end(text: str, start: int, name: str) -> tuple[int, int] | None:
    """The tag that closes the block opened before `start`; if nothing balances, the last closing tag."""
    if (balanced := _find_balanced_end(text, start, name)) is not None:
        return balanced
    closings = [tag for tag in _TAGS[name].finditer(text, start) if tag[1]]
    return closings[-1].span() if closings else None


def _find_balanced_end(text: str, start: int, name: str) -> tuple[int, int] | None:
    depth = 1
    for tag in _TAGS[name].finditer(text, start):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return tag.span()
    return None
