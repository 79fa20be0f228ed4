"""The compactions of a session one after the other: what each was, what it left, what is left of the user's words."""

from __future__ import annotations

from compaction.engine.trail.event import Event, How, events_of
from compaction.engine.trail.quoting import Quoting, quotable
from compaction.engine.trail.said import Place, Said, places_at, said_of

__all__ = ["Event", "How", "Place", "Quoting", "Said", "events_of", "places_at", "quotable", "said_of"]
