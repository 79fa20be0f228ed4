"""What started a compaction: a person, the threshold, or an error of the API that the client held back.

The client records only whether it compacted by itself. Its sizes and what stands before the boundary tell the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from compaction.trail.engine.event import CompactionEvent, EventKind
from sessions.text.engine.words import tokens
from sessions.usage.engine.tokens import NEAR, Limits, Window


class StartCause(StrEnum):
    PERSON = "asked for"
    THRESHOLD = "threshold"
    ERROR = "after an error"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """A request before a boundary that got no answer."""

    position: int
    error: str = ""
    """The API's words, if they were recorded."""


@dataclass(frozen=True, slots=True)
class CompactionStart:
    cause: StartCause
    why: str
    """A sentence for people."""
    position: int | None = None
    """The record that says so."""


def start_of(
    event: CompactionEvent, tokens_before: float | None, window: Window, refused: RefusedRequest | None
) -> CompactionStart:
    """`refused` stands between the last answer and the boundary."""
    if event.kind in (EventKind.MANUAL, EventKind.UP_TO, EventKind.FROM):
        return CompactionStart(StartCause.PERSON, "Somebody asked for it.", event.position)
    if event.kind is not EventKind.AUTO:
        return CompactionStart(StartCause.UNKNOWN, "The record does not say who started it.")
    if refused is not None and refused.error:
        return CompactionStart(
            StartCause.ERROR, f"The API had refused the request before it: {refused.error}", refused.position
        )
    threshold = Limits(window.tokens).threshold
    usual = f"of the {tokens(threshold)} where auto-compact starts in a window of {tokens(window.tokens)}"
    share = "" if tokens_before is None else f"{tokens_before / threshold:.0%} {usual}"
    if tokens_before is not None and tokens_before >= NEAR * threshold:
        counted = "The client counted" if event.tokens_before is not None else "The context had"
        why = f"{counted} {tokens(tokens_before)} tokens, {share}."
        return CompactionStart(StartCause.THRESHOLD, why, event.position)
    if refused is not None:
        why = "The request before it is logged without an answer: the client held an error back and compacted"
        return CompactionStart(StartCause.ERROR, f"{why}{f' at {share}' if share else ''}.", refused.position)
    if tokens_before is None:
        return CompactionStart(StartCause.UNKNOWN, "No record says how large the context was.")
    why = (
        f"It started at {share}. A lowered threshold does that "
        "(CLAUDE_AUTOCOMPACT_PCT_OVERRIDE, CLAUDE_CODE_AUTO_COMPACT_WINDOW), and so does an error that the client "
        "held back; no record says which."
    )
    return CompactionStart(StartCause.UNKNOWN, why, event.position)
