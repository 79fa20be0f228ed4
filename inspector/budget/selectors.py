"""What models have cost this month, and how much they may cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings
from django.db.models import Count, F, Q, Sum

from inspector.runs.models import Run

_TOKENS = F("input_tokens") + F("cache_read_tokens") + F("cache_write_tokens") + F("output_tokens")


@dataclass(frozen=True, slots=True)
class Budget:
    month: str
    """Its name and year; months begin and end by UTC."""
    limit: float | None
    """None if no limit is set."""
    spent: float
    """The costs that are known."""
    unpriced: int
    """Runs that asked a model without a known price: their cost is not included."""

    @property
    def remaining(self) -> float | None:
        return None if self.limit is None else max(0.0, self.limit - self.spent)

    @property
    def is_used_up(self) -> bool:
        return self.limit is not None and self.spent >= self.limit


def budget_at(now_ms: int, *, exclude_run: int | None = None) -> Budget:
    """The budget of the calendar month. `exclude_run`: a run that is counted separately."""
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    begin = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    runs = Run.objects.filter(created_at__gte=int(begin.timestamp() * 1000)).annotate(tokens=_TOKENS)
    if exclude_run is not None:
        runs = runs.exclude(pk=exclude_run)
    totals = runs.aggregate(spent=Sum("cost"), unpriced=Count("pk", filter=Q(cost=None, tokens__gt=0)))
    return Budget(f"{begin:%B %Y}", settings.MODELS.monthly_budget, totals["spent"] or 0.0, totals["unpriced"])
