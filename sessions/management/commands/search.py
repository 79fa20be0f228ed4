"""`lucid search`: find words in all sessions."""

from __future__ import annotations

import json
import os
from argparse import ArgumentTypeError
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from sessions.archive.engine.damage import ArchiveDamageError
from sessions.models import Source
from sessions.search.selectors.deep_search import DeepSearch
from sessions.search.selectors.hits import Hit
from sessions.search.selectors.indexed_search import search_index
from sessions.text.engine.terminal import printable
from sessions.text.engine.timestamps import iso


class Command(BaseCommand):
    help = "Search all sessions, newest first."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query", metavar="QUERY", help="words, quoted phrases, and beginnings of words (retr*)")
        parser.add_argument("--deep", action="store_true", help="also search the output of tools and everything else")
        parser.add_argument(
            "--limit",
            type=_positive_number,
            default=100,
            metavar="N",
            help="print at most N results (default: %(default)s)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        limit = options["limit"]
        hits: list[Hit] = []
        printed: set[tuple[str, str]] = set()
        for hit in self._hits(options["query"], limit, deep=options["deep"]):
            if (hit.session, hit.address) in printed:
                continue
            printed.add((hit.session, hit.address))
            hits.append(hit)
            if not options["json"]:
                self._say(hit)
            if len(hits) >= limit:
                break
        if options["json"]:
            self.stdout.write(json.dumps([as_json(hit) for hit in hits]))
        elif not hits:
            self.stderr.write("nothing found")

    def _hits(self, query: str, limit: int, *, deep: bool) -> Iterator[Hit]:
        yield from search_index(query, limit=limit).hits
        if deep:
            deeper = DeepSearch(query)
            hits = deeper.hits(processes=os.cpu_count() or 1)
            yield from (hit for hit in hits if hit is not None)
            self._warn(deeper.damage)

    def _warn(self, damage: Sequence[ArchiveDamageError]) -> None:
        """Reports what could not be searched, each damage once."""
        names = dict(Source.objects.filter(pk__in={damaged.source_id for damaged in damage}).values_list("pk", "path"))
        for sentence in dict.fromkeys(f"{names.get(damaged.source_id, 'a file')}: {damaged}" for damaged in damage):
            self.stderr.write(printable(sentence))

    def _say(self, hit: Hit) -> None:
        bold = self.stdout.isatty()
        pieces = ((printable(piece), is_match) for piece, is_match in hit.snippet)
        text = hit.damage or "".join(
            f"\033[1m{piece}\033[0m" if is_match and bold else piece for piece, is_match in pieces
        )
        self.stdout.write(f"{iso(hit.at) or 'unknown time'}  {hit.session}  {hit.role}\n    {text}")
        self.stdout.flush()


def _positive_number(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ArgumentTypeError(f"it must be 1 or more, not {number}")
    return number


def as_json(hit: Hit) -> dict[str, object]:
    return {
        "session": hit.session,
        "agent": hit.agent or None,
        "entry": hit.address,
        "at": iso(hit.at),
        "role": hit.role,
        "snippet": "".join(piece for piece, _ in hit.snippet),
        "damage": hit.damage or None,
        "title": hit.title,
        "project": hit.project,
    }
