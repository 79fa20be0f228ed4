"""Whether a session is so large that pages compute whole-session facts only on request."""

from __future__ import annotations

from sessions.models import Transcript

AT_ONCE = 6_000
"""Entries since the last boundary up to which a forecast is made without being asked for."""
STRETCHES_AT_ONCE = 100
"""Boundaries up to which all of a session is looked at without being asked for."""


def is_large(transcript: Transcript) -> bool:
    boundaries = transcript.ruler.get("boundaries") or (0,)
    return int(transcript.entries - boundaries[-1]) > AT_ONCE


def is_cut_often(transcript: Transcript) -> bool:
    """Whether it was compacted so often that reading all of it takes long, because each stretch is read separately."""
    return len(transcript.ruler.get("boundaries") or ()) > STRETCHES_AT_ONCE
