"""`lucid sessions`: every session with its totals."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db.models import Count, Q, Sum

from compaction.cache.services.scan import cache_scan_stale
from sessions.catalog.selectors.sessions import current_sessions
from sessions.models import Transcript
from sessions.text.engine.terminal import printable
from sessions.text.engine.timestamps import iso


class Command(BaseCommand):
    help = "List all sessions, newest first."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        sessions = (
            current_sessions()
            .select_related("project")
            .defer("state", "ruler")
            .annotate(
                agents=Count("children", filter=Q(children__kind=Transcript.Kind.AGENT)),
                agents_cost=Sum("children__cost", filter=Q(children__kind=Transcript.Kind.AGENT)),
            )
            .order_by("-last_at", "-pk")
        )
        if options["json"]:
            damage: dict[int, str] = {}
            cache_scan_stale(report_progress=_tell if sys.stderr.isatty() else None, damage=damage)
            self.stdout.write(json.dumps([as_json(session, damage.get(session.pk)) for session in sessions]))
            for session in sessions:
                if session.pk in damage:
                    self.stderr.write(f"{session.public_id}: {damage[session.pk]}")
            return
        for session in sessions:
            title = printable(session.name or "(no prompt)").strip()[:60]
            self.stdout.write(f"{(iso(session.last_at) or 'unknown')[:16]}  {session.public_id}  {title}")


def _tell(count: int, total: int) -> None:
    end = "" if count < total else "\n" if total else ""
    print(f"\rlooking into the prompt cache: {count:,} of {total:,} sessions", end=end, file=sys.stderr, flush=True)


def as_json(session: Any, damage: str | None = None) -> dict[str, object]:
    """`cost_usd` is null if no request has a known price; `cache_breaks` counts the unexpected ones. `damage` is a
    sentence if the archive is damaged and the prompt cache of the session cannot be examined."""
    priced = session.requests > session.unpriced or not session.requests
    return {
        "id": session.public_id,
        "project": session.project.cwd or session.project.directory,
        "title": session.name,
        "entries": session.entries,
        "turns": session.turns,
        "first": iso(session.first_at),
        "last": iso(session.last_at),
        "models": session.model_names.split(),
        "requests": session.requests,
        "tokens": session.tokens,
        "input": session.input,
        "cache_read": session.cache_read,
        "cache_write_5m": session.cache_write_5m,
        "cache_write_1h": session.cache_write_1h,
        "output": session.output,
        "cost_usd": session.cost if priced else None,
        "unpriced_requests": session.unpriced,
        "agents": session.agents,
        "agents_cost_usd": session.agents_cost or 0,
        "compactions": session.compactions,
        "errors": session.errors,
        "cache_breaks": session.cache_breaks,
        "damage": damage,
    }
