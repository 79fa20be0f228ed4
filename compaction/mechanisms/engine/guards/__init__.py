"""Guards against harmful compactions: no inflation, no invented quotes, no endless failures, no recursion."""

from __future__ import annotations

from compaction.mechanisms.engine.guards.breaker import Breaker
from compaction.mechanisms.engine.guards.inflation import explain_inflation
from compaction.mechanisms.engine.guards.quotes import QuoteCheck, check_quotes
from compaction.mechanisms.engine.guards.recompaction import Recompaction, track_recompaction
from compaction.mechanisms.engine.guards.recursion import may_compact

__all__ = [
    "Breaker",
    "QuoteCheck",
    "Recompaction",
    "check_quotes",
    "explain_inflation",
    "may_compact",
    "track_recompaction",
]
