"""`lucid compact`: what a compaction would make of a session. The session itself stays as it is."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from compaction.hooks.selectors import Scope, hooks_of
from compaction.kinds.engine import KindError, all_kinds, kind_named
from compaction.kinds.selectors import compaction_load
from compaction.kinds.services.runs import KIND, compaction_run
from compaction.models import Compaction
from inspector.runs.services import RunKilled, run_perform
from inspector.runs.services.stops import RunError
from sessions.imports.services.named_transcript import SESSION_HELP, transcript_open
from sessions.models import Transcript
from sessions.text.engine.terminal import printable
from sessions.transcripts.selectors.lookup import LookupFailedError, find_agent


class Command(BaseCommand):
    help = "Compact a copy of a session, and show what the model would be sent next."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
        parser.add_argument(
            "--kind",
            required=True,
            choices=[kind.name for kind in all_kinds()],
            metavar="KIND",
            help="kind of compaction: %(choices)s",
        )
        parser.add_argument("--agent", metavar="AGENT_ID", help="compact this sub-agent instead of the main thread")
        parser.add_argument(
            "--pivot", default="", metavar="UUID", help="message where a partial compaction begins or ends"
        )
        parser.add_argument("--ids", default="", metavar="ID,ID", help="turns to snip, as short ids or uuids")
        parser.add_argument(
            "--instructions", default="", metavar="TEXT", help="extra instructions for whoever writes the summary"
        )
        parser.add_argument(
            "--model",
            default="",
            metavar="NAME",
            help="model that writes the summary (default: none, it is put together mechanically)",
        )
        parser.add_argument(
            "--hooks",
            action="store_const",
            const=Scope.USER,
            default=Scope.OFF,
            help="run your own hooks for compactions",
        )
        parser.add_argument(
            "--project-hooks",
            action="store_const",
            dest="hooks",
            const=Scope.ALL,
            help="run your own hooks and those in the files of the project",
        )
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="setting of this kind of compaction; may be repeated",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            transcript = transcript_open(name=options["session"])
            if options["agent"]:
                transcript = find_agent(transcript, options["agent"])
            parameters = {
                "transcript": transcript.pk,
                "kind": options["kind"],
                "pivot": options["pivot"].strip(),
                "ids": [one.strip() for one in options["ids"].split(",") if one.strip()],
                "instructions": options["instructions"],
                "settings": _settings(options["set"]),
                "model": options["model"],
                "hooks": str(options["hooks"]),
            }
            if options["hooks"] != Scope.OFF:
                parameters["hooks_seen"] = self._announce(transcript, options)
            work = partial(compaction_run, announce=self._note) if self.stderr.isatty() else None
            result = run_perform(kind=KIND, target=transcript.public_id, parameters=parameters, work=work)
        except (LookupFailedError, KindError, RunError) as error:
            raise CommandError(str(error)) from error
        except RunKilled as stop:
            raise CommandError("the compaction was killed.") from stop
        made = Compaction.objects.get(pk=result["compaction"])
        if options["json"]:
            self.stdout.write(json.dumps(document(made)))
        else:
            self._say(made)

    def _announce(self, transcript: Transcript, options: dict[str, Any]) -> str:
        """The commands that are about to run, before any does; returns by what the run knows that they are the same."""
        configured = hooks_of(transcript, str(kind_named(options["kind"]).trigger))
        for hook in configured.within(options["hooks"]):
            self._note(f"{hook.event} hook of {hook.file}: {hook.command}")
        for problem in configured.problems:
            self._note(problem)
        return configured.fingerprint

    def _note(self, text: str) -> None:
        self.stderr.write(printable(text), style_func=str)

    def _say(self, made: Compaction) -> None:
        self.stdout.write(printable(made.report["why"]))
        for what, before, after in (
            ("messages", made.messages_before, made.messages_after),
            ("tokens", made.tokens_before, made.tokens_after),
        ):
            self.stdout.write(f"{what}: {before:,} before, {after:,} after")
        if made.summary:
            self.stdout.write("\n" + "\n".join(map(printable, made.summary.splitlines())))
        if made.done:
            self.stdout.write(f"\n`lucid export {made.run_id} --to DIR` writes it as a session that can be resumed.")


def document(made: Compaction) -> dict[str, Any]:
    loaded = compaction_load(made)
    there = {message.uuid for message in loaded.after if message.content}
    spoken = [message.uuid for message in loaded.before if message.content]
    return {
        "run": made.run_id,
        "id": made.pk,
        "status": "completed",
        "kind": made.kind,
        "model": made.model_name,
        "mechanical": made.mechanical,
        "before": {"messages": made.messages_before, "tokens": made.tokens_before},
        "after": {"messages": made.messages_after, "tokens": made.tokens_after},
        "summary": made.summary,
        "kept": [uuid for uuid in spoken if uuid in there],
        "dropped": [uuid for uuid in spoken if uuid not in there],
        "report": made.report,
    }


def _settings(given: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            raise KindError(f"A setting is written name=value, not {one!r}.")
        found[name.strip()] = value
    return found
