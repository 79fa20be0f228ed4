"""Imports a tree in a process of its own and tells everything that came of it, free of what differs between two runs.

`python -m tests.postgres.probe` reads {"paths": [...], "search": [...], "pages": [...]} and prints one JSON document.
The database is that of the environment."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any

import django

ENTRY = [
    "offset",
    "length",
    "type",
    "detail",
    "uuid_key",
    "parent_key",
    "message_key",
    "tool_key",
    "at",
    "turn",
    "flags",
]
TURN = [
    "first",
    "last",
    "started_at",
    "ended_at",
    "calls",
    "errors",
    "requests",
    "input",
    "cache_read",
    "cache_write",
    "output",
]
MARK = ["first", "last", "fate", "by"]
REQUEST = [
    "position",
    "turn",
    "message_key",
    "message_id",
    "request_id",
    "agent",
    "model",
    "at",
    "input",
    "cache_read",
    "cache_write_5m",
    "cache_write_1h",
    "output",
    "cost",
    "owned",
]
VOLATILE = ("seconds", "browsable_seconds", "touched")


def main() -> None:
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    request = json.load(sys.stdin)
    from sessions.imports.services.sync import sync

    paths = [Path(path) for path in request["paths"]]
    first = asdict(sync(paths, workers=1))
    second = asdict(sync(paths, workers=1))
    values = {
        "report": {name: value for name, value in first.items() if name not in VOLATILE},
        "again": second["rows_written"],
        "transcripts": _transcripts(),
        "sources": _sources(),
        "entries": _entries(),
        "cache": _cache(),
        "search": {query: _search(query) for query in request["search"]},
        "deep": {query: _deep(query) for query in request["deep"]},
        "pages": {page: _page(page) for page in request["pages"]},
    }
    json.dump(values, sys.stdout)


def _values(row: object, names: Iterable[str]) -> list[Any]:
    return [getattr(row, name) for name in names]


def _transcripts() -> dict[str, Any]:
    from sessions.models import Transcript

    values = {}
    for transcript in Transcript.objects.select_related("parent", "forked_from", "project", "source"):
        fields = {field.attname: getattr(transcript, field.attname) for field in transcript._meta.concrete_fields}
        for name in ("id", "source_id", "parent_id", "forked_from_id", "project_id"):
            fields.pop(name)
        fields["cost"] = round(transcript.cost, 9)
        fields["parent"] = transcript.parent and transcript.parent.public_id
        fields["forked_from"] = transcript.forked_from and transcript.forked_from.public_id
        fields["project"] = [transcript.project.directory, transcript.project.cwd]
        fields["source_state"] = transcript.source.state
        fields["marks"] = sorted(_values(mark, MARK) for mark in transcript.marks.all())
        fields["requests_made"] = sorted(_values(request, REQUEST) for request in transcript.request_set.all())
        fields["problems"] = sorted(
            _values(p, ("line", "offset", "length", "kind", "detail")) for p in transcript.problems.all()
        )
        fields["oddities"] = sorted(
            _values(odd, ("what", "name", "count", "first")) for odd in transcript.oddities.all()
        )
        values[transcript.public_id] = fields
    return values


def _sources() -> dict[str, Any]:
    from sessions.archive.selectors.records import Reader
    from sessions.models import Source

    return {
        source.path: [
            source.kind,
            source.state,
            source.size,
            source.archived,
            source.imported,
            bytes(source.head_hash).hex(),
            bytes(source.tail_hash).hex(),
            blake2b(Reader(source.pk).read(0, source.archived)).hexdigest(),
        ]
        for source in Source.objects.all()
    }


def _entries() -> dict[str, list[Any]]:
    from sessions.models import Entry, Transcript, Turn
    from sessions.transcripts.engine.entry_ids import POSITION_BITS

    names = dict(Transcript.objects.values_list("pk", "public_id"))
    result: dict[str, list[Any]] = {name: [] for name in names.values()}
    for entry in Entry.objects.order_by("pk"):
        result[names[entry.transcript_id]].append([entry.position, *_values(entry, ENTRY)])
    for turn in Turn.objects.order_by("pk"):
        result[names[turn.pk >> POSITION_BITS]].append(["turn", *_values(turn, TURN)])
    return result


def _cache() -> dict[str, Any]:
    from compaction.cache.services.scan import cache_scan_stale
    from compaction.models import CacheBreak, CacheScan

    looked = [cache_scan_stale(), cache_scan_stale()]
    own = ("id", "session_id", "transcript_id", "made_at", "digest")
    breaks = {
        cache_break.message_id: {
            name: value for name, value in vars(cache_break).items() if name not in own and name[0] != "_"
        }
        for cache_break in CacheBreak.objects.order_by("pk")
    }
    scans = CacheScan.objects.select_related("transcript")
    return {"looked": looked, "breaks": breaks, "totals": {scan.transcript.public_id: scan.totals for scan in scans}}


def _search(query: str) -> Any:
    from sessions.search.selectors.indexed_search import search_index

    page = search_index(query, limit=1000)
    return [page.count, page.next, [asdict(hit) for hit in page.hits]]


def _deep(query: str) -> Any:
    from sessions.search.selectors.deep_search import DeepSearch

    return [asdict(hit) for hit in DeepSearch(query).hits() if hit is not None]


def _page(page: str) -> list[Any]:
    from django.test import Client

    answer = Client(headers={"host": "localhost"}, raise_request_exception=False).get(page)
    # The token of a form is another one each time.
    return [answer.status_code, re.sub(r'(?<=name="csrfmiddlewaretoken" value=")\w+', "", answer.content.decode())]


if __name__ == "__main__":
    main()
