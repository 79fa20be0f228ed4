"""The compactions of a session in order: their kind, and how much of the user's words they left."""

from __future__ import annotations

from compaction.trail.engine.chain import Link, Loop, loops_of
from compaction.trail.engine.event import CompactionEvent, EventKind, events_of
from compaction.trail.engine.start import CompactionStart, RefusedRequest, StartCause, start_of
from compaction.trail.engine.summary_quotes import SummaryQuotes, searchable_words
from compaction.trail.engine.user_quotes import PromptState, QuoteCounts, count_quotes, prompt_states

__all__ = [
    "CompactionEvent",
    "CompactionStart",
    "EventKind",
    "Link",
    "Loop",
    "PromptState",
    "QuoteCounts",
    "RefusedRequest",
    "StartCause",
    "SummaryQuotes",
    "count_quotes",
    "events_of",
    "loops_of",
    "prompt_states",
    "searchable_words",
    "start_of",
]
