"""What breaks of the cache cost by cause, and which were the worst. The database adds up."""

from __future__ import annotations

from django.db.models import Count, F, Q, QuerySet, Sum

from compaction.cache.engine.costs.cache_summary import Loss
from compaction.models import CacheBreak


def losses_of(breaks: QuerySet[CacheBreak]) -> list[Loss]:
    """By cause, the most expensive first; causes without a price last. One query."""
    rows = (
        breaks.order_by()
        .values("cause")
        .annotate(
            count=Count("pk"), tokens=Sum("wasted"), dollars=Sum("cost"), unpriced=Count("pk", filter=Q(cost=None))
        )
        .order_by(F("dollars").desc(nulls_last=True), "-tokens", "cause")
    )
    return [Loss(row["cause"], row["tokens"] or 0, row["dollars"], row["count"], row["unpriced"]) for row in rows]


def order_by_cost(breaks: QuerySet[CacheBreak]) -> QuerySet[CacheBreak]:
    return breaks.order_by(F("cost").desc(nulls_last=True), "-wasted", "-at", "pk")
