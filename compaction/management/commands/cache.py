"""`lucid cache`: where the prompt cache of a session broke, why, and what that cost."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from compaction.cache.engine.names import TITLES
from compaction.cache.selectors.breaks import (
    breaks_of,
    scan_due,
    scan_of,
    session_of,
)
from compaction.cache.services.scan import cache_scan
from compaction.models import CacheBreak, CacheScan
from sessions.imports.services.named_transcript import SESSION_HELP, transcript_open
from sessions.models import Transcript
from sessions.text.engine.stamps import iso
from sessions.text.engine.terminal import printable
from sessions.text.engine.words import money, tokens
from sessions.transcripts.selectors.lookup import LookupFailedError


class Command(BaseCommand):
    help = "Show where the prompt cache of a session broke, why, and what that cost."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            session = session_of(transcript_open(name=options["session"]))
        except LookupFailedError as error:
            raise CommandError(str(error)) from error
        if scan_due(session):
            cache_scan(transcript=session)
        scan = scan_of(session)
        assert scan is not None
        breaks = list(breaks_of(session))
        if options["json"]:
            self.stdout.write(json.dumps(document(session, scan, breaks), ensure_ascii=False))
        else:
            self._say(scan, breaks)

    def _say(self, scan: CacheScan, breaks: list[CacheBreak]) -> None:
        totals = scan.totals
        rate, factor = totals["hit_rate"], totals["rewrite_factor"]
        read = "unknown" if rate is None else f"{rate:.1%}"
        times = "unknown" if factor is None else f"{factor:.2f}"
        self.stdout.write(f"{totals['requests']:,} requests, {read} read from the cache, context written {times} times")
        self.stdout.write(
            f"cost {money(totals['cost'])}; without a cache {money(totals['cost_without'])}; at best"
            f" {money(totals['cost_best'])}"
        )
        for one in breaks:
            names = ", ".join(TITLES.get(cause["name"], cause["name"]) for cause in one.causes)
            lost = f"{tokens(one.previous_read)} -> {tokens(one.read)}"
            told = f"{iso(one.at)}  {one.message_id}  {lost}  {names}{' (expected)' if one.expected else ''}"
            self.stdout.write(printable(f"{told}  wasted {tokens(one.wasted)}, {money(one.cost)}"))
            self.stdout.write(f"    {printable(detail(one))}")
        self.stdout.write(printable(scan.advice["ttl"]["sentence"]))


def document(session: Transcript, scan: CacheScan, breaks: list[CacheBreak]) -> dict[str, Any]:
    totals = scan.totals
    return {
        "session": session.public_id,
        "requests": totals["requests"],
        "hit_rate": totals["hit_rate"],
        "rewrite_factor": totals["rewrite_factor"],
        "breaks": [as_json(one) for one in breaks],
        "totals": totals,
        "advice": scan.advice,
    }


def as_json(one: CacheBreak) -> dict[str, Any]:
    return {
        "message_id": one.message_id,
        "at": iso(one.at),
        "agent": one.agent or None,
        "model": one.model,
        "previous_message_id": one.previous_message_id,
        "gap_seconds": None if one.gap is None else one.gap / 1000,
        "previous_read": one.previous_read,
        "read": one.read,
        "written": one.written,
        "causes": [cause["name"] for cause in one.causes],
        "confidence": {cause["name"]: cause["confidence"] for cause in one.causes},
        "expected": one.expected,
        "expected_why": one.expected_why or None,
        "wasted_tokens": one.wasted,
        "cost_usd": one.cost,
        "detail": detail(one),
        "sizes": {cause["name"]: cause["size"] for cause in one.causes if cause["size"]},
        "also_changed": [{"name": other["name"], "sentence": other["sentence"]} for other in one.also],
        "divergence": one.divergence or None,
        "server": one.server or None,
        "agrees": one.agrees,
        "exactness": one.exactness,
        "unknown": one.missing,
        "advice": one.advice,
    }


def detail(one: CacheBreak) -> str:
    return " ".join(cause["sentence"] for cause in one.causes)
