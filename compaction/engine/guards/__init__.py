"""What keeps a compaction from doing harm: no inflation, no invented quotes, no endless failures, no recursion."""

from __future__ import annotations

from compaction.engine.guards.breaker import Breaker
from compaction.engine.guards.inflation import inflation
from compaction.engine.guards.quotes import Quotes, quotes_checked
from compaction.engine.guards.recompaction import Recompaction, recompaction
from compaction.engine.guards.recursion import may_compact

__all__ = ["Breaker", "Quotes", "Recompaction", "inflation", "may_compact", "quotes_checked", "recompaction"]
