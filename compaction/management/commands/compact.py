"""`lucid compact`: what a compaction would make of a session. The session itself stays as it is."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from compaction.hooks.selectors import Scope, hooks_of
from compaction.kinds.engine import KindError, all_kinds, kind_named
from compaction.kinds.selectors import compaction_load
from compaction.kinds.selectors.session_model import session_model
from compaction.kinds.services.runs import KIND, compaction_run
from compaction.kinds.views.form import SESSION
from compaction.models import Compaction
from compaction.pins.services import PinError, find_message
from compaction.trail.engine.auto_replay import describe_step, step_values
from compaction.trail.selectors.replays import replay_auto
from inspector.runs.services import RunKilled, run_perform
from inspector.runs.services.stops import RunError
from sessions.imports.services.named_transcript import SESSION_HELP, transcript_open
from sessions.models import Transcript
from sessions.text.engine.terminal import printable
from sessions.text.engine.words import plural
from sessions.transcripts.selectors.lookup import LookupFailedError, find_agent
from sessions.weights.engine.prompt_size import MESSAGES_ONLY, WHOLE_PROMPT, StoredSize


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
            "--at",
            default="",
            metavar="ENTRY",
            help="compact the session as it was right after this entry (before it, if it is a compaction)",
        )
        parser.add_argument(
            "--pivot", default="", metavar="UUID", help="message where a partial compaction begins or ends"
        )
        parser.add_argument("--ids", default="", metavar="ID,ID", help="turns to snip, as short ids or uuids")
        parser.add_argument(
            "--pin",
            default="",
            metavar="ENTRY,ENTRY",
            help="messages that stay word for word, beside those pinned before: numbers or uuids of entries",
        )
        parser.add_argument(
            "--instructions", default="", metavar="TEXT", help="extra instructions for whoever writes the summary"
        )
        parser.add_argument(
            "--model",
            default="",
            metavar="NAME",
            help="model that writes the summary, or `session` for the session's own (default: none, it is put together "
            "mechanically)",
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
        parser.add_argument(
            "--every-request",
            action="store_true",
            help="with --kind auto: tell what would have been done before each request of the session",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            transcript = transcript_open(name=options["session"])
            if options["agent"]:
                transcript = find_agent(transcript, options["agent"])
            if options["every_request"]:
                self._replay(transcript, options)
                return
            parameters = {
                "transcript": transcript.pk,
                "kind": options["kind"],
                "at": options["at"].strip(),
                "pivot": options["pivot"].strip(),
                "ids": [short_id.strip() for short_id in options["ids"].split(",") if short_id.strip()],
                "pinned": _find_pinned(options["pin"], transcript),
                "instructions": options["instructions"],
                "settings": _settings(options["set"]),
                "model": _model(options["model"], transcript),
                "hooks": str(options["hooks"]),
            }
            if options["hooks"] != Scope.OFF:
                parameters["hooks_seen"] = self._announce(transcript, options)
            work = partial(compaction_run, announce=self._note) if self.stderr.isatty() else None
            result = run_perform(kind=KIND, target=transcript.public_id, parameters=parameters, work=work)
        except (LookupFailedError, KindError, PinError, RunError) as error:
            raise CommandError(str(error)) from error
        except RunKilled as stop:
            raise CommandError("the compaction was killed.") from stop
        compaction = Compaction.objects.get(pk=result["compaction"])
        if options["json"]:
            self.stdout.write(json.dumps(document(compaction)))
        else:
            self._say(compaction)

    def _replay(self, transcript: Transcript, options: dict[str, Any]) -> None:
        if options["kind"] != "auto":
            raise KindError("Only --kind auto can be told for every request.")
        quiet = 0
        for step in replay_auto(transcript, _settings(options["set"])):
            if options["json"]:
                self.stdout.write(json.dumps(step_values(step)))
            elif step.is_quiet:
                quiet += 1
            else:
                self.stdout.write(printable(describe_step(step)))
        if not options["json"]:
            self.stdout.write(f"Before {plural(quiet, 'other request')} nothing would have been done.")

    def _announce(self, transcript: Transcript, options: dict[str, Any]) -> str:
        """Shows the commands before any runs; returns the fingerprint by which the run knows them."""
        configured = hooks_of(transcript, str(kind_named(options["kind"]).trigger))
        for hook in configured.allowed_by(options["hooks"]):
            self._note(f"{hook.event} hook of {hook.file}: {hook.command}")
        for problem in configured.problems:
            self._note(problem)
        return configured.fingerprint

    def _note(self, text: str) -> None:
        self.stderr.write(printable(text), style_func=str)

    def _say(self, compaction: Compaction) -> None:
        self.stdout.write(printable(compaction.report["why"]))
        self.stdout.write(f"messages: {compaction.messages_before:,} before, {compaction.messages_after:,} after")
        before, after = (StoredSize.from_json(compaction.sizes[side]) for side in ("before", "after"))
        for of, sizes in (
            (WHOLE_PROMPT, (before.whole, after.whole)),
            (MESSAGES_ONLY, (before.messages, after.messages)),
        ):
            numbers = ["unknown" if size is None else f"{size.mark}{round(size.tokens):,}" for size in sizes]
            self.stdout.write(f"tokens, {of}: {numbers[0]} before, {numbers[1]} after")
        self.stdout.write(
            "by the client's own estimate, messages only: "
            f"{compaction.tokens_before:,} before, {compaction.tokens_after:,} after"
        )
        if compaction.summary:
            self.stdout.write("\n" + "\n".join(map(printable, compaction.summary.splitlines())))
        if compaction.done:
            self.stdout.write(
                f"\n`lucid export {compaction.run_id} --to DIR` writes it as a session that can be resumed."
            )


def document(compaction: Compaction) -> dict[str, Any]:
    loaded = compaction_load(compaction)
    remaining = {message.uuid for message in loaded.after if message.content}
    uuids = [message.uuid for message in loaded.before if message.content]
    return {
        "run": compaction.run_id,
        "id": compaction.pk,
        "status": "completed",
        "kind": compaction.kind,
        "model": compaction.model_name,
        "mechanical": compaction.mechanical,
        "before": {
            "messages": compaction.messages_before,
            **compaction.sizes["before"],
            "client_estimate": compaction.tokens_before,
        },
        "after": {
            "messages": compaction.messages_after,
            **compaction.sizes["after"],
            "client_estimate": compaction.tokens_after,
        },
        "summary": compaction.summary,
        "kept": [uuid for uuid in uuids if uuid in remaining],
        "dropped": [uuid for uuid in uuids if uuid not in remaining],
        "report": compaction.report,
        "records": list(loaded.stored.records),
    }


def _model(name: str, transcript: Transcript) -> str:
    if name != SESSION:
        return name
    if own := session_model(transcript):
        return own
    raise KindError("No record of the session names its model. Name one.")


def _find_pinned(addresses: str, transcript: Transcript) -> list[str]:
    """The uuids of messages. A number is that of an entry."""
    return [find_message(transcript, address.strip())[1] for address in addresses.split(",") if address.strip()]


def _settings(texts: list[str]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise KindError(f"A setting is written name=value, not {text!r}.")
        settings[name.strip()] = value
    return settings
