"""What started a compaction: a person, the threshold, or an error of the API that the client held back.

The client records only whether it compacted by itself. Its sizes and what stands before the boundary tell the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from compaction.trail.engine.event import CompactionEvent, EventKind
from sessions.text.engine.words import tokens
from sessions.usage.engine.tokens import Limits

NEAR = 0.7
"""From this share of the usual threshold on, the threshold is what started it: sizes are measured differently by
versions, and some leave more room for the answer."""

MOST_OVER = 1.1
"""A context is larger than the threshold by the prompt or the results that came last."""


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
    event: CompactionEvent, tokens_before: float | None, threshold: int, refused: RefusedRequest | None
) -> CompactionStart:
    """`threshold` is the usual one of the model; `refused` stands between the last answer and the boundary.

    A client may use a smaller window than the model has, which no record tells, so a size that fits the usual window is
    compared with that.
    """
    if event.kind in (EventKind.MANUAL, EventKind.UP_TO, EventKind.FROM):
        return CompactionStart(StartCause.PERSON, "Somebody asked for it.", event.position)
    if event.kind is not EventKind.AUTO:
        return CompactionStart(StartCause.UNKNOWN, "The record does not say who started it.")
    if refused is not None and refused.error:
        return CompactionStart(
            StartCause.ERROR, f"The API had refused the request before it: {refused.error}", refused.position
        )
    if tokens_before is not None and tokens_before <= MOST_OVER * Limits().threshold:
        threshold = min(threshold, Limits().threshold)
    share = "" if tokens_before is None else f"{tokens_before / threshold:.0%} of the usual threshold"
    if tokens_before is not None and tokens_before >= NEAR * threshold:
        why = f"The context had {tokens(tokens_before)} tokens, {share} of {tokens(threshold)}."
        return CompactionStart(StartCause.THRESHOLD, why, event.position)
    if refused is not None:
        why = "The request before it is logged without an answer: the client held an error back and compacted"
        return CompactionStart(StartCause.ERROR, f"{why}{f' at {share}' if share else ''}.", refused.position)
    if tokens_before is None:
        return CompactionStart(StartCause.UNKNOWN, "No record says how large the context was.")
    why = (
        f"It started at {share} of {tokens(threshold)}. A lowered threshold does that "
        "(CLAUDE_AUTOCOMPACT_PCT_OVERRIDE, CLAUDE_CODE_AUTO_COMPACT_WINDOW), and so does an error that the client "
        "held back; no record says which."
    )
    return CompactionStart(StartCause.UNKNOWN, why, event.position)
