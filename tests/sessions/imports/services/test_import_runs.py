from __future__ import annotations

import threading
from pathlib import Path

import pytest
from django.db import connection
from pytest_django import Settings

from inspector.resources import DEMO
from inspector.runs.models import Run
from inspector.runs.services import RunKilled, run_execute, run_kill, run_retry
from inspector.watcher.follow import follow
from sessions.imports.services import import_work
from sessions.imports.services.import_runs import has_import_ended, import_run
from sessions.models import Entry, Source, Transcript
from tests.serving import wait_until
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
    second = run_retry(run=failed)
    assert run_execute(run_id=second.pk)
    second.refresh_from_db()
    assert (second.status, second.attempt) == ("completed", 2)
    assert Transcript.objects.count() == 1


def test_an_import_of_nothing_fails_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="absent"):
        import_run(tmp_path / "absent")
    run = Run.objects.get()
    assert run.status == "failed"
    assert "absent" in run.reason


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enough to be stopped in the middle, and written in small pieces."""
    monkeypatch.setattr(import_work, "COMMIT_BYTES", 1024 * 1024)
    for number in range(24):
        writing = Writing(session=f"33333333-2222-4333-8444-{number:012}")
        for _ in range(40):
            writing.user("Is it high water yet? " * 1000)
        writing.save(tmp_path / "projects" / "-home-dev-atlas")
    return tmp_path


def kill() -> None:
    """As soon as something is stored: the rest is read in the blink of an eye."""
    wait_until(Entry.objects.exists, longest_pause=0.005)
    run_kill(run_id=Run.objects.get().pk)
    connection.close()


def test_an_import_can_be_stopped_and_goes_on_where_it_was(large: Path) -> None:
    thread = threading.Thread(target=kill)
    thread.start()
    with pytest.raises(RunKilled):
        import_run(large)
    thread.join()
    stopped = Run.objects.get()
    assert (stopped.status, stopped.kill_requested_at is not None) == ("killed", True)
    assert not has_import_ended(large)
    # A server is asked for kills now and then, so that all of it may be read by then; a note is seen at once.
    assert Entry.objects.count() < 24 * 40 + (connection.vendor == "postgresql")

    second = run_retry(run=stopped)
    assert run_execute(run_id=second.pk)
    assert has_import_ended(large)
    assert Transcript.objects.filter(settled=True, entries=40, indexed=40).count() == 24


def test_after_a_stopped_import_only_what_changes_is_read(large: Path) -> None:
    stop = threading.Event()
    late = Writing(session="44444444-2222-4333-8444-555555555555")
    late.user("And now?")

    def stop_and_write() -> None:
        try:
            kill()
            wait_until(lambda: not has_import_ended(large))
            before = Transcript.objects.filter(entries__gt=0).count()
            # The watcher begins to watch at some moment after that.
            wait_until(lambda: bool(late.save(large / "projects" / "-home-dev-atlas")) and _known(late.session))
            after.append(Transcript.objects.filter(entries__gt=0).count() - before)
        finally:
            stop.set()
            connection.close()

    after: list[int] = []
    thread = threading.Thread(target=stop_and_write)
    thread.start()
    follow(large, stop)
    thread.join()
    assert after == [1]


def _known(session: str) -> bool:
    return Transcript.objects.filter(session_id=session, entries=1).exists()


def shown() -> set[str]:
    current = Transcript.objects.exclude(source__state=Source.State.REPLACED)
    return set(current.values_list("public_id", flat=True))


def test_a_demo_that_was_put_away_comes_back_with_its_addresses_and_beside_the_rest(
    config: Path, tmp_path: Path, settings: Settings
) -> None:
    settings.LUCID_HOME = tmp_path / "home"
    stopped = threading.Event()
    stopped.set()
    follow(DEMO, stopped)
    demo = shown()
    assert demo
    follow(config, stopped)
    assert shown() == {"33333333-2222-4333-8444-555555555555"}
    follow(DEMO, stopped)
    assert shown() == demo | {"33333333-2222-4333-8444-555555555555"}
    assert Transcript.objects.count() == len(demo) + 1
    assert Run.objects.filter(target=str(DEMO)).latest("pk").result["rows_written"] == 0
    follow(config, stopped)
    assert shown() == {"33333333-2222-4333-8444-555555555555"}


def test_a_demo_that_changed_since_it_was_put_away_is_read_anew(
    config: Path, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LUCID_HOME = tmp_path / "home"
    demo = tmp_path / "demo"
    for module in ("sessions.imports.services.import_runs", "inspector.watcher.follow"):
        monkeypatch.setattr(f"{module}.DEMO", demo)
    stopped = threading.Event()
    stopped.set()
    for words in ("Is it low water?", "Is it low water already, or not?"):
        writing = Writing()
        writing.user(words)
        writing.save(demo / "projects" / "-home-dev-boat")
        follow(demo, stopped)
        follow(config, stopped)
    follow(demo, stopped)
    assert shown() == {"33333333-2222-4333-8444-555555555555", writing.session}
    assert not Transcript.objects.filter(public_id__contains="~2").exists()
