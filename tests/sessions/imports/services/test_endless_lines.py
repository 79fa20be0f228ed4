from __future__ import annotations

from pathlib import Path

import pytest

from sessions.archive.engine.frames import BLOCK_SIZE
from sessions.archive.selectors.records import Reader
from sessions.imports.engine.scan import stretches
from sessions.imports.services.sync import sync
from sessions.models import Problem, Source
from tests.sessions.writing import Writing, line

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_line_that_is_too_long_is_reported_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stretches, "STRETCH", BLOCK_SIZE)
    monkeypatch.setattr(stretches, "LONGEST_LINE", BLOCK_SIZE)
    path = Writing().turns(1).save(tmp_path / "projects" / "-home-dev-tidewatch")
    endless = b'{"type": "user", "message": "' + b"x" * 4 * BLOCK_SIZE
    path.write_bytes(path.read_bytes() + endless + b"\n" + line(Writing().turns(1).records[0]))

    report = sync([tmp_path])

    assert (report.lines, report.bad_lines, report.entries) == (6, 1, 5)
    source = Source.objects.get()
    problem = Problem.objects.get()
    assert (problem.kind, problem.length) == ("too-long", len(endless))
    assert Reader(source.pk).read(0, source.archived) == path.read_bytes()
    assert sync([tmp_path]).rows_written == 0
