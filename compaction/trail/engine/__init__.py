"""The compactions of a session one after the other: what each was, what it left, what is left of the user's words."""

from __future__ import annotations

from compaction.trail.engine.event import Event, How, events_of
from compaction.trail.engine.quoting import Quoting, quotable
from compaction.trail.engine.user_quotes import (
    Place,
    Said,
    places_at,
    said_of,
)

__all__ = ["Event", "How", "Place", "Quoting", "Said", "events_of", "places_at", "quotable", "said_of"]
