"""Imports a tree in a process of its own and tells everything that came of it, free of what differs between two runs.

`python -m tests.postgres.probe` reads {"paths": [...], "search": [...], "pages": [...]} and prints one JSON document.
The database is that of the environment."""

from __future__ import annotations

import json
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
    asked = json.load(sys.stdin)
    from sessions.imports.services.sync import sync

    paths = [Path(path) for path in asked["paths"]]
    first = asdict(sync(paths, workers=1))
    again = asdict(sync(paths, workers=1))
    found = {
        "report": {name: value for name, value in first.items() if name not in VOLATILE},
        "again": again["rows_written"],
        "transcripts": _transcripts(),
        "sources": _sources(),
        "entries": _entries(),
        "cache": _cache(),
        "search": {query: _search(query) for query in asked["search"]},
        "deep": {query: _deep(query) for query in asked["deep"]},
        "pages": {page: _page(page) for page in asked["pages"]},
    }
    json.dump(found, sys.stdout)


def _values(row: object, names: Iterable[str]) -> list[Any]:
    return [getattr(row, name) for name in names]


def _transcripts() -> dict[str, Any]:
    from sessions.models import Transcript

    found = {}
    for one in Transcript.objects.select_related("parent", "forked_from", "project", "source"):
        fields = {field.attname: getattr(one, field.attname) for field in one._meta.concrete_fields}
        for name in ("id", "source_id", "parent_id", "forked_from_id", "project_id"):
            fields.pop(name)
        fields["cost"] = round(one.cost, 9)
        fields["parent"] = one.parent and one.parent.public_id
        fields["forked_from"] = one.forked_from and one.forked_from.public_id
        fields["project"] = [one.project.directory, one.project.cwd]
        fields["source_state"] = one.source.state
        fields["marks"] = sorted(_values(mark, MARK) for mark in one.marks.all())
        fields["requests_made"] = sorted(_values(request, REQUEST) for request in one.request_set.all())
        fields["problems"] = sorted(
            _values(p, ("line", "offset", "length", "kind", "detail")) for p in one.problems.all()
        )
        fields["oddities"] = sorted(_values(odd, ("what", "name", "count", "first")) for odd in one.oddities.all())
        found[one.public_id] = fields
    return found


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
    found: dict[str, list[Any]] = {name: [] for name in names.values()}
    for entry in Entry.objects.order_by("pk"):
        found[names[entry.transcript_id]].append([entry.position, *_values(entry, ENTRY)])
    for turn in Turn.objects.order_by("pk"):
        found[names[turn.pk >> POSITION_BITS]].append(["turn", *_values(turn, TURN)])
    return found


def _cache() -> dict[str, Any]:
    from compaction.cache.services.scan import cache_scan_stale
    from compaction.models import CacheBreak, CacheScan

    looked = [cache_scan_stale(), cache_scan_stale()]
    own = ("id", "session_id", "transcript_id", "made_at", "digest")
    breaks = {
        one.message_id: {name: value for name, value in vars(one).items() if name not in own and name[0] != "_"}
        for one in CacheBreak.objects.order_by("pk")
    }
    scans = CacheScan.objects.select_related("transcript")
    return {"looked": looked, "breaks": breaks, "totals": {one.transcript.public_id: one.totals for one in scans}}


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
    return [answer.status_code, answer.content.decode()]


if __name__ == "__main__":
    main()
