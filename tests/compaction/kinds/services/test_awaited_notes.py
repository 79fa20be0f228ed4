from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from compaction.kinds.engine import Parameters, kind_named
from compaction.kinds.selectors.forecast import forecast
from compaction.kinds.selectors.notes_being_taken import KIND
from compaction.kinds.services import awaited_notes
from compaction.kinds.services.make import compaction_make
from compaction.kinds.services.summarising import summariser_choose
from compaction.kinds.services.watcher import SilentWatcher
from inspector.agents.choosing import ModelSettings
from inspector.runs.models import Run
from memory.notes.services import runs as notes_runs
from sessions.context.selectors.contexts import load_context, point_next
from sessions.models import Transcript
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db
NOW = 1_800_000_000_000
SETTINGS = {"notes.keep_tokens": "100", "notes.keep_text_messages": "1"}


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    for number in range(8):
        file.user(f"Question {number}: " + "how high is the water? " * 40)
        file.assistant("It is high. " * 60)
    transcript = file.read()
    notes(transcript, "Before the update.")
    return transcript


def notes(transcript: Transcript, words: str) -> None:
    folder = Path(settings.LUCID_HOME) / "notes" / transcript.public_id
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "summary.md").write_text(f"# Session Title\n_guidance_\n\n{words}\n")


def running(transcript: Transcript, status: str = Run.Status.RUNNING) -> Run:
    return Run.objects.create(kind=KIND, status=status, created_at=NOW, parameters={"transcript": transcript.pk})


class Writer(SilentWatcher):
    """Ends the run after a while, as its worker does."""

    def __init__(self, transcript: Transcript, run: Run, after: int = 3) -> None:
        self.transcript, self.run, self.after = transcript, run, after
        self.phases: list[str] = []
        self.waited = 0

    def phase(self, name: str, /, *, total: int | None = None, unit: str = "") -> None:
        self.phases.append(name)

    def wait(self, seconds: float, /) -> None:
        self.waited += 1
        if self.waited == self.after:
            notes(self.transcript, "After the update.")
            Run.objects.filter(pk=self.run.pk).update(status=Run.Status.COMPLETED)


def made(transcript: Transcript, watcher: SilentWatcher) -> str:
    compaction = compaction_make(
        transcript=transcript,
        kind=kind_named("session-memory"),
        parameters=Parameters(settings=SETTINGS),
        summariser=summariser_choose(ModelSettings(claude="off")),
        now_ms=NOW,
        watcher=watcher,
    )
    return f"{compaction.summary} {compaction.report['why']}"


def test_the_runs_that_take_notes_are_of_this_kind() -> None:
    assert notes_runs.KIND == KIND


def test_a_compaction_by_notes_waits_for_the_run_that_takes_them(transcript: Transcript) -> None:
    run = running(transcript)
    watcher = Writer(transcript, run)
    result = made(transcript, watcher)
    assert "After the update." in result
    assert f"it waited for run {run.pk}" in result
    assert f"waiting for run {run.pk}, which takes notes" in watcher.phases
    assert watcher.waited == 3


def test_one_that_has_not_begun_is_not_waited_for(transcript: Transcript) -> None:
    run = running(transcript, Run.Status.QUEUED)
    watcher = Writer(transcript, run)
    assert "Before the update." in made(transcript, watcher)
    assert watcher.waited == 0


def test_one_that_does_not_end_has_it_decline(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(awaited_notes, "PATIENCE", 1.0)
    watcher = Writer(transcript, running(transcript), after=100)
    assert "The notes are still being written." in made(transcript, watcher)
    assert watcher.waited == 4


def test_a_forecast_waits_for_nobody_and_says_what_the_compaction_would_do(transcript: Transcript) -> None:
    run = running(transcript)
    context = load_context(transcript, point_next(transcript))
    foreseen = forecast(
        transcript,
        context,
        kind_named("session-memory"),
        Parameters(settings=SETTINGS),
        asks_model=False,
        shared=False,
        now_ms=NOW,
    )
    assert foreseen.applied is not None
    assert f"run {run.pk} is bringing them up to date, and a compaction would wait for it" in foreseen.applied.why
