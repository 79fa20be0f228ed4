"""Whatever happened to a transcript: every byte is kept, every line is accounted for, every page opens."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessions.archive.selectors.records import Reader
from sessions.imports.services.report import Report
from sessions.imports.services.sync import sync
from sessions.models import Entry, Mark, Problem, Request, Transcript, Turn
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from tests.examples import examples
from tests.sessions.mutating import damaged

pytestmark = pytest.mark.django_db

SESSION = "44444444-2222-4333-8444-555555555555"
ESTIMATES = ("ruler", "peak_context")
"""Drawn from the first rows of a message; those that come with a later import do not redraw them."""

LASTING = ("numbered", "glued", "truncated", "nul", "encoding", "number", "deep", "not-an-object", "garbage")

NO_HURRY = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


@contextmanager
def project() -> Iterator[Path]:
    """A project of its own for an example, and nothing of it left in the database."""
    with tempfile.TemporaryDirectory(prefix="lucid-mutations-") as folder, transaction.atomic():
        made = Path(folder) / "projects" / "-home-dev-tidewatch"
        made.mkdir(parents=True)
        yield made
        transaction.set_rollback(True)


def read(path: Path) -> Report:
    return sync([path.parents[1]], workers=1)


def lines(data: bytes) -> int:
    return sum(1 for line in data.split(b"\n") if line.strip())


def windows(client: Client, address: str) -> Iterator[Any]:
    root = address.partition("?")[0]
    while address:
        answer = client.get(address)
        assert answer.status_code == 200, address
        yield answer
        match = re.search(r'<a class="later" href="(\?[^"]+)"', answer.content.decode())
        address = root + match[1].replace("&amp;", "&") if match else ""


def pages(transcript: Transcript) -> Iterator[str]:
    root = f"/sessions/{transcript.public_id}/"
    yield from ("/", "/sessions/", "/odd/", "/search/?q=the", "/search/?q=tide&deep=1")
    yield from (f"{root}?at=end", f"{root}?before=2", f"{root}find/?q=the", f"{root}agents/", f"{root}live/?after=0")
    for position in range(0, transcript.entries, max(1, transcript.entries // 4)):
        yield from (f"{root}entries/L{position}/", f"{root}entries/L{position}/raw/")
    for problem in Problem.objects.filter(transcript=transcript)[:3]:
        yield f"{root}problems/{problem.offset}/"


@settings(max_examples=examples(12, share=40), deadline=None, suppress_health_check=NO_HURRY)
@given(damaged())
def test_a_damaged_transcript_is_imported_kept_and_shown(client: Client, data: bytes) -> None:
    with project() as folder:
        path = folder / f"{SESSION}.jsonl"
        path.write_bytes(data)
        report = read(path)
        assert report.failed == []
        if report.skipped:
            # Nothing in its first lines looks like a record any more: that is said, and the file is left alone.
            assert report.skipped == [str(path)]
            return
        transcript = Transcript.objects.get()
        assert Reader(transcript.source_id).read(0, transcript.source.archived) == data
        assert report.lines == transcript.lines == lines(data)
        assert report.bad_lines == Problem.objects.count()
        assert transcript.entries == Entry.objects.count() == report.entries + report.recovered_entries
        seen = [
            row.position
            for answer in windows(client, f"/sessions/{SESSION}/?from=0&all=1")
            for row in answer.context["window"].rows
        ]
        assert seen == list(range(transcript.entries))
        for address in pages(transcript):
            status = client.get(address).status_code
            assert status == 200 or (status == 204 and not transcript.entries), address


def stored(transcript: Transcript) -> dict[str, Any]:
    """All that an import says of a file, apart from the numbers of rows."""
    base = transcript.pk << POSITION_BITS
    mine = {"transcript": transcript}
    within = {"pk__gte": base, "pk__lt": base + (1 << POSITION_BITS)}
    columns = [field.attname for field in Entry._meta.concrete_fields if field.name != "id"]
    spent = [field.attname for field in Request._meta.concrete_fields if field.name not in ("id", "transcript")]
    turns = [field.attname for field in Turn._meta.concrete_fields if field.name != "id"]
    totals = {
        field.attname: getattr(transcript, field.attname)
        for field in Transcript._meta.concrete_fields
        if field.name not in ("id", "source", "project", "public_id", "state", "indexed", *ESTIMATES)
    }
    return {
        "entries": list(Entry.objects.filter(**within).order_by("pk").values_list(*columns)),
        "requests": sorted(Request.objects.filter(**mine).values_list(*spent), key=repr),
        "turns": list(Turn.objects.filter(**within).order_by("pk").values_list(*turns)),
        "marks": sorted(Mark.objects.filter(**mine).values_list("first", "last", "fate", "by"), key=repr),
        "problems": sorted(Problem.objects.filter(**mine, kind__in=LASTING).values_list("line", "offset", "kind")),
        **totals,
    }


@settings(max_examples=examples(20, share=40), deadline=None, suppress_health_check=NO_HURRY)
@given(damaged(), st.floats(0, 1))
def test_a_damaged_transcript_that_grows_ends_like_one_that_was_read_at_once(data: bytes, share: float) -> None:
    cut = int(len(data) * share)
    with project() as folder:
        path = folder / f"{SESSION}.jsonl"
        path.write_bytes(data)
        if read(path).skipped:
            return
        at_once = stored(Transcript.objects.get())
    with project() as folder:
        path = folder / f"{SESSION}.jsonl"
        path.write_bytes(data[:cut])
        if read(path).skipped:
            return
        with path.open("ab") as file:
            file.write(data[cut:])
        report = read(path)
        assert report.failed == []
        transcript = Transcript.objects.get()
        assert Reader(transcript.source_id).read(0, transcript.source.archived) == data
        in_pieces = stored(transcript)
    for name, value in at_once.items():
        assert in_pieces[name] == value, name


def test_a_line_that_was_cut_off_stays_reported_when_the_file_grows() -> None:
    whole = b'{"type":"mode","mode":"normal","sessionId":"one"}'
    with project() as folder:
        path = folder / f"{SESSION}.jsonl"
        path.write_bytes(whole + b"\n" + whole[:20] + b"\n" + whole[:30])
        read(path)
        with path.open("ab") as file:
            file.write(whole[30:] + b"\n")
        assert read(path).bad_lines == Problem.objects.count() == 1
