"""`lucid capture list|show`: the requests that went through the recording endpoint."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseError

from inspector.web.database_errors import reason_of
from sessions.capture.selectors.captures import said_in, sent_of
from sessions.capture.selectors.list import (
    Captured,
    capture_named,
    captures_found,
    with_sessions,
)
from sessions.capture.services.spool import captures_ingest
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
        found = captures_found(session=options["session"])
        captures = list(found[: options["limit"]] if options["limit"] > 0 else found)
        rows = [row for at in range(0, len(captures), AT_ONCE) for row in with_sessions(captures[at : at + AT_ONCE])]
        if options["json"]:
            self.stdout.write(json.dumps(mask_json([as_json(row) for row in rows])))
            return
        for row in rows:
            self.stdout.write(_line(row.capture))

    def _show(self, options: dict[str, Any], failure: str) -> None:
        capture = capture_named(options["capture"])
        if capture is None:
            advice = failure or "`lucid capture list` lists what was."
            raise CommandError(f"Nothing was captured as {options['capture']!r}. {advice}")
        (row,) = with_sessions([capture])
        sent = sent_of(capture)
        if options["json"]:
            whole = {
                **as_json(row),
                "betas": capture.betas,
                "headers": capture.headers,
                "diagnostics": capture.diagnostics,
                "marks": capture.marks,
                "request": sent.body(),
                "answer": said_in(capture),
            }
            self.stdout.write(json.dumps(whole if options["raw"] else mask_json(whole)))
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
    """Why what was recorded last is not shown; empty if it is."""
    try:
        captures_ingest()
    except (DatabaseError, OSError) as error:
        return f"What was recorded last cannot be stored now and is not shown ({reason_of(error)})."
    return ""


def as_json(row: Captured) -> dict[str, Any]:
    one = row.capture
    return {
        "id": one.pk,
        "exchange": one.exchange,
        "origin": one.origin,
        "run": one.run_id,
        "at": iso(one.at),
        "session": row.transcript.public_id if row.transcript else one.session_id or None,
        "agent": one.agent or None,
        "message_id": one.message_id or None,
        "request_id": one.request_id or None,
        "path": one.path,
        "model": one.model,
        "status": one.status,
        "ended": one.ended,
        "error": one.error or None,
        "stop_reason": one.stop_reason or None,
        "input": one.input,
        "cache_read": one.cache_read,
        "cache_write_5m": one.cache_write_5m,
        "cache_write_1h": one.cache_write_1h,
        "output": one.output,
        "first_byte_ms": one.first_byte_ms,
        "duration_ms": one.duration_ms,
        "request_bytes": one.request_bytes,
        "answer_bytes": one.answer_bytes,
    }


def _line(one: Capture) -> str:
    counted = "tokens unknown"
    if one.input is not None:
        counted = f"{tokens(one.cache_read)} read, {tokens(one.written)} written, {tokens(one.input)} fresh"
    status = one.status if one.ended == Capture.Ending.COMPLETE else one.get_ended_display()
    name = printable(one.message_id or mask(one.error)[:60])
    return (
        f"{one.pk:>6}  {iso(one.at)}  {status}  {printable(one.model)}  {counted}  {duration(one.duration_ms)}  {name}"
    )
