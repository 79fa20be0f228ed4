"""`lucid capture list|show`: the requests that went through the recording endpoint."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseError

from inspector.web.database_errors import reason_of
from sessions.capture.selectors.capture_list import CaptureRow, add_sessions, find_capture_by_name, list_captures
from sessions.capture.selectors.captures import load_answer, load_sent
from sessions.capture.services.ingest import captures_ingest
from sessions.models import Capture
from sessions.secrets.engine import mask, mask_json
from sessions.text.engine.terminal import printable
from sessions.text.engine.timestamps import iso
from sessions.text.engine.words import duration, plural, tokens

AT_ONCE = 500
LIST_HELP = "List recorded requests, newest first."
SHOW_HELP = "Show one recorded request, whole."


class Command(BaseCommand):
    help = "List the requests that were recorded on their way to the API, or show one of them."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
        listing = verbs.add_parser("list", help=LIST_HELP, description=LIST_HELP)
        listing.add_argument(
            "--session", default="", metavar="ID", help="only those of this session; a prefix of its id is enough"
        )
        listing.add_argument("--limit", type=int, default=0, metavar="N", help="list at most N (default: all)")
        showing = verbs.add_parser("show", help=SHOW_HELP, description=SHOW_HELP)
        showing.add_argument("capture", metavar="ID", help="number of the request, or the id of its answer (msg_...)")
        showing.add_argument("--raw", action="store_true", help="do not mask secrets")
        for verb in (listing, showing):
            verb.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        failure = _ingest()
        if options["verb"] == "list":
            self._list(options)
            if failure:
                raise CommandError(failure)
        else:
            self._show(options, failure)

    def _list(self, options: dict[str, Any]) -> None:
        captures_found = list_captures(session=options["session"])
        captures = list(captures_found[: options["limit"]] if options["limit"] > 0 else captures_found)
        rows = [
            row for start in range(0, len(captures), AT_ONCE) for row in add_sessions(captures[start : start + AT_ONCE])
        ]
        if options["json"]:
            self.stdout.write(json.dumps(mask_json([as_json(row) for row in rows])))
            return
        for row in rows:
            self.stdout.write(_line(row.capture))

    def _show(self, options: dict[str, Any], failure: str) -> None:
        capture = find_capture_by_name(options["capture"])
        if capture is None:
            advice = failure or "`lucid capture list` lists what was."
            raise CommandError(f"Nothing was captured as {options['capture']!r}. {advice}")
        (row,) = add_sessions([capture])
        sent = load_sent(capture)
        if options["json"]:
            document = {
                **as_json(row),
                "betas": capture.betas,
                "headers": capture.headers,
                "diagnostics": capture.diagnostics,
                "marks": capture.marks,
                "request": sent.body(),
                "answer": load_answer(capture),
            }
            self.stdout.write(json.dumps(document if options["raw"] else mask_json(document)))
            return
        self.stdout.write(_line(capture))
        counts = (
            plural(len(sent.messages), "message"),
            plural(len(sent.system_blocks), "system block"),
            plural(len(sent.tools or ()), "tool"),
            plural(len(sent.marks), "mark"),
        )
        self.stdout.write(", ".join(counts))
        for mark in sent.marks:
            self.stdout.write(f"  marked: {'.'.join(str(step) for step in mark['path'])}  {mark['value']}")
        params = dict(sent.params)
        for name, value in (params if options["raw"] else mask_json(params)).items():
            self.stdout.write(f"  {printable(name)}: {printable(json.dumps(value)[:200])}")


def _ingest() -> str:
    """Stores waiting recordings. Returns an error message if that fails."""
    try:
        captures_ingest()
    except (DatabaseError, OSError) as error:
        return f"What was recorded last cannot be stored now and is not shown ({reason_of(error)})."
    return ""


def as_json(row: CaptureRow) -> dict[str, Any]:
    capture = row.capture
    return {
        "id": capture.pk,
        "exchange": capture.exchange,
        "origin": capture.origin,
        "run": capture.run_id,
        "at": iso(capture.at),
        "session": row.transcript.public_id if row.transcript else capture.session_id or None,
        "agent": capture.agent or None,
        "message_id": capture.message_id or None,
        "request_id": capture.request_id or None,
        "path": capture.path,
        "model": capture.model,
        "status": capture.status,
        "ended": capture.ended,
        "error": capture.error or None,
        "stop_reason": capture.stop_reason or None,
        "input": capture.input,
        "cache_read": capture.cache_read,
        "cache_write_5m": capture.cache_write_5m,
        "cache_write_1h": capture.cache_write_1h,
        "output": capture.output,
        "first_byte_ms": capture.first_byte_ms,
        "duration_ms": capture.duration_ms,
        "request_bytes": capture.request_bytes,
        "answer_bytes": capture.answer_bytes,
    }


def _line(capture: Capture) -> str:
    counted = "tokens unknown"
    if capture.input is not None:
        counted = f"{tokens(capture.cache_read)} read, {tokens(capture.written)} written, {tokens(capture.input)} fresh"
    status = capture.status if capture.ended == Capture.Ending.COMPLETE else capture.get_ended_display()
    name = printable(capture.message_id or mask(capture.error)[:60])
    model, took = printable(capture.model), duration(capture.duration_ms)
    return f"{capture.pk:>6}  {iso(capture.at)}  {status}  {model}  {counted}  {took}  {name}"
