"""`lucid requests`: the API calls of a session and of its sub-agents."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sessions.imports.services.named_transcript import SESSION_HELP, transcript_open
from sessions.models import Request
from sessions.text.engine.terminal import printable
from sessions.text.engine.timestamps import iso
from sessions.transcripts.selectors.lookup import LookupFailedError
from sessions.usage.selectors import requests_of


class Command(BaseCommand):
    help = "List the API requests of a session and its sub-agents, in order."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            transcript = transcript_open(name=options["session"])
        except LookupFailedError as error:
            raise CommandError(str(error)) from error
        requests = requests_of(transcript)
        if options["json"]:
            self.stdout.write(json.dumps([as_json(request) for request in requests]))
            return
        for request in requests:
            cost = "unknown" if request.cost is None else f"${request.cost:.4f}"
            self.stdout.write(f"{iso(request.at)}  {printable(request.model)}  {printable(request.message_id)}  {cost}")


def as_json(request: Request) -> dict[str, object]:
    return {
        "message_id": request.message_id,
        "request_id": request.request_id or None,
        "agent": request.agent or None,
        "model": request.model,
        "at": iso(request.at),
        "input": request.input,
        "cache_read": request.cache_read,
        "cache_write_5m": request.cache_write_5m,
        "cache_write_1h": request.cache_write_1h,
        "output": request.output,
        "cost_usd": request.cost,
        "owned": request.owned,
    }
