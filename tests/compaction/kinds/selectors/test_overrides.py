from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from compaction.hooks import selectors as hooks
from compaction.kinds.engine import Parameters, apply_kind, config_of
from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.selectors.overrides import PERCENT, WINDOW, add_overrides
from sessions.models import Transcript
from sessions.weights.engine import WeightTable
from tests.sessions.transcripts.engine.spoken import START, Talk


@pytest.fixture
def session(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Transcript:
    settings.CLAUDE_CONFIG_DIR = tmp_path / "config"
    monkeypatch.setattr(hooks, "managed_settings", lambda: tmp_path / "managed.json")
    for name in (PERCENT, WINDOW):
        setattr(settings, name, "")
    return Transcript(cwd=str(tmp_path / "project"))


def write(file: Path, variables: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"env": variables}))


def threshold(session: Transcript, **text: str) -> int:
    parameters = add_overrides(AUTO, Parameters(settings=text), session, WeightTable())
    return int(config_of(AUTO, parameters.settings).pipeline.limits.threshold)


def test_the_settings_of_the_client_lower_the_threshold_and_the_answer_names_them(
    session: Transcript, tmp_path: Path
) -> None:
    assert threshold(session) == 167_000
    write(tmp_path / "config" / "settings.json", {PERCENT: "10"})
    assert threshold(session) == 18_000
    talk = Talk()
    talk.prompt("hello")
    talk.says("hello")
    applied = apply_kind(AUTO, talk.messages, add_overrides(AUTO, Parameters(), session, WeightTable()), now=START)
    assert f"the threshold of 18,000 ({PERCENT}=10 in {tmp_path / 'config' / 'settings.json'} (user))" in applied.why


def test_the_project_wins_over_the_user_and_settings_over_the_environment(
    session: Transcript, tmp_path: Path, settings: Settings
) -> None:
    setattr(settings, WINDOW, "100000")
    assert threshold(session) == 67_000
    write(tmp_path / "config" / "settings.json", {WINDOW: "120000"})
    assert threshold(session) == 87_000
    write(tmp_path / "project" / ".claude" / "settings.json", {WINDOW: 150_000})
    assert threshold(session) == 117_000


def test_the_percentage_is_of_the_smaller_window_and_never_raises_the_threshold(
    session: Transcript, settings: Settings
) -> None:
    setattr(settings, WINDOW, "100000")
    setattr(settings, PERCENT, "50")
    assert threshold(session) == 40_000
    setattr(settings, PERCENT, "99")
    assert threshold(session) == 67_000


@pytest.mark.parametrize("value", ["0", "101", "many", "-5", "nan", ""])
def test_what_the_client_would_ignore_counts_for_nothing(session: Transcript, settings: Settings, value: str) -> None:
    setattr(settings, PERCENT, value)
    assert threshold(session) == 167_000


def test_what_a_person_asks_for_wins_and_other_kinds_have_no_threshold(session: Transcript, settings: Settings) -> None:
    setattr(settings, PERCENT, "10")
    assert threshold(session, percent="20") == 36_000
    assert add_overrides(FULL, Parameters(), session, WeightTable()) == Parameters()
