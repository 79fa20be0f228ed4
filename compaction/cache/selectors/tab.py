"""What the Cache tab of a session shows: totals, the series of its requests, breaks, advice, and whether it is due."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Q, QuerySet

from compaction.cache.engine.reporting import Loss, answer
from compaction.cache.engine.totals import totals_of
from compaction.cache.selectors.breaks import (
    RULES,
    Reached,
    breaks_of,
    reached_of,
    scan_of,
    session_of,
)
from compaction.cache.selectors.calls import calls_of
from compaction.cache.selectors.losses import losses_of, worst
from compaction.cache.selectors.series import Series, series_of
from compaction.models import CacheBreak, CacheScan
from inspector.runs.models import Run
from inspector.runs.selectors.lists import (
    ACTIVE,
    DETAIL_FIELDS,
    RunCard,
    run_cards,
)
from sessions.models import Request, Transcript

KIND = "cache diff"


@dataclass
class CacheTab:
    """Of a session; of a sub-agent, what concerns its own requests."""

    transcript: Transcript
    now: int

    @property
    def alone(self) -> bool:
        """Is it a sub-agent?"""
        return self.transcript.parent_id is not None

    @cached_property
    def session(self) -> Transcript:
        return session_of(self.transcript)

    @cached_property
    def scan(self) -> CacheScan | None:
        return scan_of(self.session)

    @cached_property
    def due(self) -> bool:
        scan = self.scan
        if scan is None or scan.rules != RULES:
            return True
        return Reached(scan.entries, scan.requests) != reached_of(self.session)

    @cached_property
    def runs(self) -> list[RunCard]:
        """That will look into it: its own, or one for all."""
        mine = Q(target=self.session.public_id) | Q(target="")
        found = Run.objects.filter(mine, kind=KIND, status__in=ACTIVE).defer(*DETAIL_FIELDS)
        return run_cards(found.order_by("-pk")[:2], self.now)

    def breaks(self, *, expected: bool) -> QuerySet[CacheBreak]:
        found = breaks_of(self.session, expected=expected)
        if self.alone:
            found = found.filter(transcript=self.transcript)
        return found.select_related("transcript")

    @cached_property
    def worst(self) -> QuerySet[CacheBreak]:
        return worst(self.breaks(expected=False))

    @cached_property
    def losses(self) -> list[Loss]:
        return losses_of(self.breaks(expected=False))

    @cached_property
    def totals(self) -> dict[str, Any]:
        """As they were added up; of a sub-agent, and while nothing was, from the rows of its requests."""
        if self.scan is not None and not self.alone:
            return dict(self.scan.totals)
        requests = list(Request.objects.filter(transcript=self.transcript).order_by("position"))
        wasted = sum(loss.wasted for loss in self.losses)
        priced = [loss.cost for loss in self.losses if loss.cost is not None]
        calls = calls_of(self.transcript.pk, requests, timed=False)
        return totals_of(calls, wasted, sum(priced) if priced or not self.losses else None).to_json()

    @property
    def advice(self) -> dict[str, Any]:
        return dict(self.scan.advice) if self.scan is not None and not self.alone else {}

    @cached_property
    def series(self) -> Series:
        return series_of(self.transcript)

    @property
    def answer(self) -> str:
        what = "this sub-agent" if self.alone else "this session"
        if self.scan is None:
            return ""
        return answer(self.totals, self.losses, what)
