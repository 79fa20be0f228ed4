from __future__ import annotations

from pathlib import Path

import pytest

from inspector.models import Run
from inspector.services.imports import import_run
from inspector.services.runs import run_execute, run_retry
from sessions.models import Transcript
from tests.sessions.writing import Writing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    writing = Writing(session="33333333-2222-4333-8444-555555555555")
    writing.user("Is it high water yet?")
    writing.save(tmp_path / "projects" / "-home-dev-atlas")
    return tmp_path


def test_an_import_is_a_run_with_counts_and_a_sentence(config: Path) -> None:
    import_run(config)
    run = Run.objects.get()
    assert (run.kind, run.target, run.status) == ("import", str(config), "completed")
    assert run.summary == "1 new entry in 1 file."
    assert (run.progress["files"], run.progress["files_total"], run.progress["entries"]) == (1, 1, 1)
    assert run.result["rows_written"] > 0


def test_an_import_that_failed_is_retried_by_a_worker(config: Path) -> None:
    failed = Run.objects.create(kind="import", target=str(config), status="failed", created_at=1, finished_at=1)
    again = run_retry(run=failed)
    assert run_execute(run_id=again.pk)
    again.refresh_from_db()
    assert (again.status, again.attempt) == ("completed", 2)
    assert Transcript.objects.count() == 1


def test_an_import_of_nothing_fails_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="absent"):
        import_run(tmp_path / "absent")
    run = Run.objects.get()
    assert run.status == "failed"
    assert "absent" in run.reason
