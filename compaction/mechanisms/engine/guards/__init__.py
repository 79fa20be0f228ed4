"""What keeps a compaction from doing harm: no inflation, no invented quotes, no endless failures, no recursion."""

from __future__ import annotations

from compaction.mechanisms.engine.guards.breaker import Breaker
from compaction.mechanisms.engine.guards.inflation import inflation
from compaction.mechanisms.engine.guards.quotes import Quotes, quotes_checked
from compaction.mechanisms.engine.guards.recompaction import Recompaction, recompaction
from compaction.mechanisms.engine.guards.recursion import may_compact

__all__ = ["Breaker", "Quotes", "Recompaction", "inflation", "may_compact", "quotes_checked", "recompaction"]
