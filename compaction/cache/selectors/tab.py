"""What the Cache tab of a session shows: totals, its requests, breaks, advice, and whether a scan is due."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Q, QuerySet

from compaction.cache.engine.costs.cache_summary import Loss, describe_cache
from compaction.cache.engine.costs.totals import totals_of
from compaction.cache.selectors.breaks import RULES_VERSION, SessionSize, breaks_of, scan_of, session_of, size_of
from compaction.cache.selectors.calls import calls_of
from compaction.cache.selectors.losses import losses_of, order_by_cost
from compaction.cache.selectors.series import Series, series_of
from compaction.models import CacheBreak, CacheScan
from inspector.runs.models import Run
from inspector.runs.selectors.lists import ACTIVE, DETAIL_FIELDS, RunCard, run_cards
from sessions.models import Request, Transcript

KIND = "cache diff"


@dataclass
class CacheTab:
    """Of a session, or of a sub-agent with its own requests only."""

    transcript: Transcript
    now: int

    @property
    def is_subagent(self) -> bool:
        return self.transcript.parent_id is not None

    @cached_property
    def session(self) -> Transcript:
        return session_of(self.transcript)

    @cached_property
    def scan(self) -> CacheScan | None:
        return scan_of(self.session)

    @cached_property
    def is_due(self) -> bool:
        scan = self.scan
        if scan is None or scan.rules != RULES_VERSION:
            return True
        return SessionSize(scan.entries, scan.requests, scan.captures) != size_of(self.session)

    @cached_property
    def runs(self) -> list[RunCard]:
        """Runs under way that will scan it: its own, or one for all sessions."""
        target = Q(target=self.session.public_id) | Q(target="")
        runs = Run.objects.filter(target, kind=KIND, status__in=ACTIVE).defer(*DETAIL_FIELDS)
        return run_cards(runs.order_by("-pk")[:2], self.now)

    def breaks(self, *, expected: bool) -> QuerySet[CacheBreak]:
        breaks = breaks_of(self.session, expected=expected)
        if self.is_subagent:
            breaks = breaks.filter(transcript=self.transcript)
        return breaks.select_related("transcript")

    @cached_property
    def worst(self) -> QuerySet[CacheBreak]:
        return order_by_cost(self.breaks(expected=False))

    @cached_property
    def losses(self) -> list[Loss]:
        return losses_of(self.breaks(expected=False))

    @cached_property
    def totals(self) -> dict[str, Any]:
        """From the scan; of a sub-agent, and before the first scan, from the rows of its requests."""
        if self.scan is not None and not self.is_subagent:
            return dict(self.scan.totals)
        requests = list(Request.objects.filter(transcript=self.transcript).order_by("position"))
        wasted = sum(loss.wasted for loss in self.losses)
        costs = [loss.cost for loss in self.losses if loss.cost is not None]
        calls = calls_of(self.transcript.pk, requests, with_times=False)
        return totals_of(calls, wasted, sum(costs) if costs or not self.losses else None).to_json()

    @property
    def advice(self) -> dict[str, Any]:
        return dict(self.scan.advice) if self.scan is not None and not self.is_subagent else {}

    @cached_property
    def series(self) -> Series:
        return series_of(self.transcript)

    @property
    def answer(self) -> str:
        subject = "this sub-agent" if self.is_subagent else "this session"
        if self.scan is None:
            return ""
        return describe_cache(self.totals, self.losses, subject)
