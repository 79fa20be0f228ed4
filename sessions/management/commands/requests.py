"""`lucid requests`: the API calls of a session and of its sub-agents, or what stood in front of the messages of one."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.http import Http404

from sessions.context.selectors.viewpoint import find_viewpoint
from sessions.imports.services.named_transcript import SESSION_HELP, transcript_open
from sessions.models import Request, Transcript
from sessions.requests.engine.sentence import cache_sentence
from sessions.requests.selectors.prompt import anatomy_at, prompt_at
from sessions.secrets.engine import mask, mask_json
from sessions.text.engine.terminal import printable
from sessions.text.engine.timestamps import iso
from sessions.text.engine.words import tokens
from sessions.transcripts.selectors.lookup import LookupFailedError
from sessions.usage.selectors import requests_of


class Command(BaseCommand):
    help = "List the API requests of a session and its sub-agents in order, or show the prompt of one."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
        parser.add_argument(
            "--request",
            metavar="MESSAGE_ID",
            help="show what stood in front of the messages of the request that this message answered",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            transcript = transcript_open(name=options["session"])
        except LookupFailedError as error:
            raise CommandError(str(error)) from error
        if options["request"] is not None:
            self._show(transcript, options["request"], as_document=options["json"])
            return
        requests = requests_of(transcript)
        if options["json"]:
            self.stdout.write(json.dumps([as_json(request) for request in requests]))
            return
        for request in requests:
            cost = "unknown" if request.cost is None else f"${request.cost:.4f}"
            self.stdout.write(f"{iso(request.at)}  {printable(request.model)}  {printable(request.message_id)}  {cost}")

    def _show(self, transcript: Transcript, message_id: str, *, as_document: bool) -> None:
        if not message_id:  # an unset variable in a script, which must not count as an omitted option
            raise CommandError("--request is empty.", returncode=2)
        try:
            view = find_viewpoint(transcript, request=message_id)
        except Http404 as error:
            raise CommandError(str(error)) from error
        sent = view.context()
        anatomy = anatomy_at(view, sent, view.weights(sent))
        report = prompt_at(view, sent, anatomy)
        if as_document:
            self.stdout.write(json.dumps(mask_json({"request": message_id, **report.to_json()})))
            return
        self.stdout.write(cache_sentence(anatomy.usage))
        for row in report.sections:
            scope = "message" if row.part.is_message else row.scope or "unknown"
            line = f"  {tokens(row.tokens):>6} {row.percent:>3}%  {scope:<7} {row.change:<8}"
            self.stdout.write(f"{line} {printable(mask(row.title))}")
        for sentence in [report.scope, *(f"{place.mark.path}: {place.sentence}" for place in report.marks)]:
            if sentence:
                self.stdout.write(printable(sentence))
        for reason in report.lifetimes:
            self.stdout.write(printable(f"{reason.title}: {' '.join(reason.sentences)}"))


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
