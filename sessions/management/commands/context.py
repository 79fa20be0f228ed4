"""`lucid context`: what the model was sent, or is sent next."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.http import Http404

from sessions.context.engine import Context, Element, digest_element
from sessions.context.engine.client_versions import unrecorded
from sessions.context.engine.left_out import LeftOutEntry
from sessions.context.engine.log import PointMissingError
from sessions.context.engine.presentation.pieces import address_of
from sessions.context.engine.tally import Category
from sessions.context.selectors.contexts import (
    ContextPoint,
    load_context,
    load_left_out,
    point_after,
    point_next,
    point_of_answer,
    point_of_request,
)
from sessions.context.selectors.forked_contexts import find_original, load_original_contexts
from sessions.imports.services.named_transcript import SESSION_HELP, transcript_open
from sessions.linking.engine import LinkRow
from sessions.linking.selectors import LinkRows
from sessions.models import Request, Transcript
from sessions.text.engine.terminal import printable
from sessions.timeline.selectors.entries import find_entry
from sessions.transcripts.selectors.lookup import LookupFailedError, find_agent
from sessions.weights.engine import WeightTable
from sessions.weights.engine.sizes import Sizes, sizes_of
from sessions.weights.selectors import prompt_tokens, weigh
from sessions.weights.services.weighing import table_measure


class Command(BaseCommand):
    help = "Show what the model was sent in a request, or would be sent next."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
        parser.add_argument("--agent", metavar="AGENT_ID", help="show this sub-agent instead of the main thread")
        where = parser.add_mutually_exclusive_group()
        where.add_argument("--request", metavar="MESSAGE_ID", help="as sent in the request that this message answered")
        where.add_argument("--at", metavar="ENTRY_UUID", help="as it would be sent right after this entry")
        where.add_argument(
            "--every-request", action="store_true", help="print the context of every request, as JSON Lines"
        )
        parser.add_argument("--digest", action="store_true", help="print hashes in place of contents, as JSON")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        for name in ("agent", "request", "at"):
            if options[name] == "":  # an unset variable in a script, which must not count as an omitted option
                raise CommandError(f"--{name} is empty.", returncode=2)
        try:
            transcript = transcript_open(name=options["session"])
            if options["agent"] is not None:
                transcript = find_agent(transcript, options["agent"])
            if options["every_request"]:
                self._all(transcript, digests=options["digest"])
                return
            transcript, point = self._point(transcript, options)
            transcript, context = find_original(transcript, load_context(transcript, point))
        except (LookupFailedError, PointMissingError, Http404) as error:
            raise CommandError(str(error)) from error
        left = load_left_out(transcript, context)
        if options["json"] or options["digest"]:
            self.stdout.write(json.dumps(self._document(transcript, context, left, digests=options["digest"])))
        else:
            self._say(context, _SizeReader().read(transcript, context), left)

    def _point(self, transcript: Transcript, options: dict[str, Any]) -> tuple[Transcript, ContextPoint]:
        if options["request"] is not None:
            try:
                return point_of_request(transcript, options["request"])
            except PointMissingError:
                return point_of_answer(transcript, options["request"])
        if options["at"] is not None:
            owner, entry = find_entry(transcript, options["at"])
            return owner, point_after(entry)
        return transcript, point_next(transcript)

    def _all(self, transcript: Transcript, *, digests: bool) -> None:
        """Without the left-out entries of each, which would be thousands of requests times thousands of entries."""
        writer, sizes = _MessageWriter(digests=digests), _SizeReader()
        for source, context in load_original_contexts(transcript):
            self.stdout.write(json.dumps(_context_values(transcript, context, writer, sizes.read(source, context))))

    def _document(
        self, transcript: Transcript, context: Context, left: list[tuple[LeftOutEntry, LinkRow]], *, digests: bool
    ) -> dict[str, Any]:
        links = LinkRows(transcript.pk, transcript.source_id)
        names = links.addresses(
            {entry.position for entry, _ in left} | {entry.by for entry, _ in left if entry.by is not None}
        )
        return {
            **_context_values(
                transcript, context, _MessageWriter(digests=digests), _SizeReader().read(transcript, context)
            ),
            "left_out": [
                {
                    "entry": names[entry.position],
                    "type": row.type,
                    "reason": str(entry.reason),
                    "by": None if entry.by is None else names[entry.by],
                }
                for entry, row in left
            ],
        }

    def _say(self, context: Context, sizes: Sizes, left: list[tuple[LeftOutEntry, LinkRow]]) -> None:
        how = "counted by the API" if sizes.counted is not None else str(sizes.size.weight.basis)
        self.stdout.write(
            f"{context.exactness}, {len(context.elements)} messages, {sizes.total} tokens ({sizes.size.of}), {how}"
        )
        for element in context.elements:
            kinds = ", ".join(str(piece.block.get("type")) for piece in element.pieces)
            words = next((str(piece.block["text"]) for piece in element.pieces if "text" in piece.block), "")
            self.stdout.write(f"  {element.role:<9} {kinds}  {printable(words[:80])}")
        for reason in dict.fromkeys(entry.reason for entry, _ in left):
            count = sum(entry.reason is reason for entry, _ in left)
            self.stdout.write(f"left out, {reason}: {count}")
        for sentence in context.unknown:
            self.stdout.write(f"unknown: {sentence}")


def _context_values(transcript: Transcript, context: Context, writer: _MessageWriter, sizes: Sizes) -> dict[str, Any]:
    return {
        "session": transcript.public_id,
        "request": context.request or None,
        "model": context.model or None,
        "exactness": str(context.exactness),
        "client": _client_values(context.version),
        "unknown": list(context.unknown),
        "messages": writer.messages(context),
        "tokens": {
            **dict.fromkeys(map(str, Category), 0),
            **{str(share.category): share.tokens or 0 for share in sizes.shares},
            "unexplained": sizes.unrecorded,
            "total": sizes.total,
            "counted": sizes.counted is not None,
        },
        "size": sizes.size.to_json(),
    }


def _client_values(version: str) -> dict[str, Any]:
    """`nearest`: the versions whose requests were recorded, if those of this one were not."""
    nearest = list(unrecorded(version))
    return {"version": version or None, "recorded": not nearest if version else None, "nearest": nearest}


class _SizeReader:
    """Sizes as they were measured; a conversation that was not measured in the background yet is measured now."""

    def __init__(self) -> None:
        self._tables: dict[int, tuple[WeightTable, dict[str, Request]]] = {}

    def read(self, transcript: Transcript, context: Context) -> Sizes:
        if transcript.pk not in self._tables:
            requests = {request.message_id: request for request in Request.objects.filter(transcript=transcript)}
            self._tables[transcript.pk] = table_measure(transcript), requests
        table, requests = self._tables[transcript.pk]
        request = requests.get(context.request)
        return sizes_of(context, weigh(context, table, None if request is None else prompt_tokens(request)))


class _MessageWriter:
    """Writes the messages of consecutive contexts, which share most messages: each is hashed once."""

    def __init__(self, *, digests: bool) -> None:
        self._digests = digests
        self._cache: dict[int, tuple[Element, dict[str, Any]]] = {}

    def messages(self, context: Context) -> list[dict[str, Any]]:
        if not self._digests:
            return [_element(element) for element in context.elements]
        previous, self._cache = self._cache, {}
        for element in context.elements:
            message = previous.get(id(element))
            self._cache[id(element)] = message or (element, digest_element(element))
        return [self._cache[id(element)][1] for element in context.elements]


def _element(element: Element) -> dict[str, Any]:
    entries = [piece.message.uuid or address_of(piece) or None for piece in element.pieces]
    return {**element.to_api(), "entries": entries}
