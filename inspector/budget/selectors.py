"""What models have cost this month, and how much the person who pays has allowed."""

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
    """In words; it begins and ends by UTC."""
    limit: float | None
    """None: nobody has set one."""
    spent: float
    """What is known of it."""
    unpriced: int
    """Runs that asked a model of which no price is known: what they cost is not in it."""

    @property
    def left(self) -> float | None:
        return None if self.limit is None else max(0.0, self.limit - self.spent)

    @property
    def used_up(self) -> bool:
        return self.limit is not None and self.spent >= self.limit


def budget_at(now_ms: int, *, without: int | None = None) -> Budget:
    """Of the calendar month. `without`: the number of a run that counts for itself."""
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    begin = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    runs = Run.objects.filter(created_at__gte=int(begin.timestamp() * 1000)).annotate(tokens=_TOKENS)
    if without is not None:
        runs = runs.exclude(pk=without)
    found = runs.aggregate(spent=Sum("cost"), unpriced=Count("pk", filter=Q(cost=None, tokens__gt=0)))
    return Budget(f"{begin:%B %Y}", settings.MODELS.monthly_budget, found["spent"] or 0.0, found["unpriced"])
