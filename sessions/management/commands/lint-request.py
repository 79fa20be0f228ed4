"""`lucid lint-request`: what the API would refuse in a request, and what would silently cost."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sessions.lint.engine import Finding, lint_request, repair_request
from sessions.lint.engine.bodies import UnreadableBodyError, parse_bodies
from sessions.text.engine.terminal import printable

Body = dict[str, Any]


class Command(BaseCommand):
    help = "List what the API would refuse in a request, and what would silently cost you."
    needs_database = False
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", metavar="FILE", help="body of a request as JSON, or one body a line; - reads standard input"
        )
        parser.add_argument("--model", metavar="NAME", help="check for this model instead of the one in the body")
        parser.add_argument(
            "--before", metavar="FILE", help="body that this one was edited from, to find dead thinking blocks"
        )
        parser.add_argument(
            "--repair", action="store_true", help="print the repaired body, and on standard error what was repaired"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        bodies = _read(options["file"])
        before = _read(options["before"])[-1] if options["before"] else None
        pairs = list(_with_before(bodies, before))
        if options["repair"]:
            for body, earlier in pairs:
                self._repair(body, earlier, options["model"])
            return
        findings = [
            (number, finding)
            for number, (body, earlier) in enumerate(pairs)
            for finding in lint_request(body, options["model"], before=earlier)
        ]
        if options["json"]:
            documents = [{**asdict(finding), "request": number} for number, finding in findings]
            self.stdout.write(json.dumps({"requests": len(bodies), "findings": documents}))
            return
        for number, finding in findings:
            self._say(finding, f"request {number}, " if len(bodies) > 1 else "")
        if not findings:
            self.stderr.write("nothing found")

    def _say(self, finding: Finding, where: str) -> None:
        place = printable(finding.path or "the body")
        self.stdout.write(f"{finding.severity}  {where}{place}  {finding.rule}: {printable(finding.message)}")
        if finding.api_error:
            self.stdout.write(f"    the API: {printable(finding.api_error)}")
        self.stdout.write(f"    repair: {printable(finding.repair)}")

    def _repair(self, body: Body, before: Body | None, model: str | None) -> None:
        if not isinstance(body.get("messages"), list):
            raise CommandError("the body has no list of messages, so there is nothing to repair.")
        repaired, repairs = repair_request(body, model, before=before)
        self.stdout.write(json.dumps(repaired))
        for repair in repairs:
            self.stderr.write(printable(f"{repair.path}: {repair.what} {repair.why}"))


def _read(name: str) -> list[Body]:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return parse_bodies(data)
    except (OSError, ValueError) as error:
        reason = str(error) if isinstance(error, UnreadableBodyError) else getattr(error, "strerror", None) or error
        raise CommandError(f"cannot read {printable(name)}: {reason}") from error


def _with_before(bodies: list[Body], first: Body | None) -> Iterator[tuple[Body, Body | None]]:
    """Pairs each body with the one before it, because lines are consecutive requests."""
    before = first
    for body in bodies:
        yield body, before
        before = body
