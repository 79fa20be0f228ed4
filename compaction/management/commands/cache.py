"""`lucid cache`: where the prompt cache of a session broke, why, and what that cost."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from compaction.cache.engine.causes.cause_names import TITLES
from compaction.cache.selectors.breaks import breaks_of, is_scan_due, scan_of, session_of
from compaction.cache.services.scan import cache_scan
from compaction.models import CacheBreak, CacheScan
from sessions.imports.services.named_transcript import SESSION_HELP, transcript_open
from sessions.models import Transcript
from sessions.text.engine.terminal import printable
from sessions.text.engine.timestamps import iso
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
        if is_scan_due(session):
            cache_scan(transcript=session)
        scan = scan_of(session)
        assert scan is not None
        breaks = list(breaks_of(session))
        if options["json"]:
            self.stdout.write(json.dumps(cache_json(session, scan, breaks), ensure_ascii=False))
        else:
            self._print_breaks(scan, breaks)

    def _print_breaks(self, scan: CacheScan, breaks: list[CacheBreak]) -> None:
        totals = scan.totals
        rate, factor = totals["hit_rate"], totals["rewrite_factor"]
        read = "unknown" if rate is None else f"{rate:.1%}"
        times = "unknown" if factor is None else f"{factor:.2f}"
        self.stdout.write(f"{totals['requests']:,} requests, {read} read from the cache, context written {times} times")
        self.stdout.write(
            f"cost {money(totals['cost'])}; without a cache {money(totals['cost_without'])}; at best"
            f" {money(totals['cost_best'])}"
        )
        for row in breaks:
            names = ", ".join(TITLES.get(cause["name"], cause["name"]) for cause in row.causes)
            drop = f"{tokens(row.previous_read)} -> {tokens(row.read)}"
            line = f"{iso(row.at)}  {row.message_id}  {drop}  {names}{' (expected)' if row.expected else ''}"
            self.stdout.write(printable(f"{line}  wasted {tokens(row.wasted)}, {money(row.cost)}"))
            self.stdout.write(f"    {printable(break_detail(row))}")
        self.stdout.write(printable(scan.advice["ttl"]["sentence"]))


def cache_json(session: Transcript, scan: CacheScan, breaks: list[CacheBreak]) -> dict[str, Any]:
    totals = scan.totals
    return {
        "session": session.public_id,
        "requests": totals["requests"],
        "hit_rate": totals["hit_rate"],
        "rewrite_factor": totals["rewrite_factor"],
        "breaks": [break_json(row) for row in breaks],
        "totals": totals,
        "advice": scan.advice,
    }


def break_json(row: CacheBreak) -> dict[str, Any]:
    return {
        "message_id": row.message_id,
        "at": iso(row.at),
        "agent": row.agent or None,
        "model": row.model,
        "previous_message_id": row.previous_message_id,
        "gap_seconds": None if row.gap is None else row.gap / 1000,
        "previous_read": row.previous_read,
        "read": row.read,
        "written": row.written,
        "causes": [cause["name"] for cause in row.causes],
        "confidence": {cause["name"]: cause["confidence"] for cause in row.causes},
        "expected": row.expected,
        "expected_why": row.expected_why or None,
        "wasted_tokens": row.wasted,
        "cost_usd": row.cost,
        "detail": break_detail(row),
        "sizes": {cause["name"]: cause["size"] for cause in row.causes if cause["size"]},
        "also_changed": [{"name": other["name"], "sentence": other["sentence"]} for other in row.also],
        "divergence": row.divergence or None,
        "server": row.server or None,
        "agrees": row.agrees,
        "exactness": row.exactness,
        "unknown": row.missing,
        "advice": row.advice,
    }


def break_detail(row: CacheBreak) -> str:
    return " ".join(cause["sentence"] for cause in row.causes)
