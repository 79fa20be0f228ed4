"""Every line of every real transcript is an entry, or is reported; every byte is in the archive."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from sessions.archive.selectors.records import Reader
from sessions.imports.services.report import Report
from sessions.models import Entry, Problem, Transcript
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from tests.corpus.files import FILES, lines, name
from tests.samples import REQUEST_LOG, each

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("report")]


def test_lines_are_entries_or_reported(report: Report) -> None:
    assert report.lines == sum(map(lines, FILES))
    assert report.entries == report.lines - report.bad_lines
    assert report.bad_lines == Problem.objects.count()
    assert Entry.objects.count() == report.entries + report.recovered_entries == report.new_entries


def test_only_what_is_no_transcript_is_left_out(report: Report) -> None:
    assert report.failed == []
    assert {Path(path).name for path in report.skipped} == {REQUEST_LOG}
    assert Transcript.objects.count() == len(FILES)


@pytest.mark.parametrize("path", each(FILES), ids=name)
def test_a_file_is_in_the_archive_byte_by_byte_and_line_by_line(path: Path) -> None:
    transcript = Transcript.objects.select_related("source").get(source__path=str(path))
    source = transcript.source
    data = path.read_bytes()
    assert Reader(source.pk).read(0, source.archived) == data
    assert transcript.lines == lines(path)
    base = transcript.pk << POSITION_BITS
    rows = Entry.objects.filter(pk__gte=base, pk__lt=base + (1 << POSITION_BITS)).order_by("pk")
    places = list(rows.values_list("offset", "length"))
    assert len(places) == transcript.entries == transcript.lines - transcript.bad_lines + transcript.recovered
    assert all(data[offset : offset + 1] == b"{" for offset, _ in places)
    assert all(earlier[0] + earlier[1] <= other[0] for earlier, other in pairwise(places))
