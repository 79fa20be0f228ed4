from __future__ import annotations

import time
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from sessions.models import Source
from tests.pages import fetch
from tests.sessions.made import DAY, HOSTILE, session

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def config(settings: Settings, tmp_path: Path) -> Path:
    settings.CLAUDE_CONFIG_DIR = tmp_path
    settings.LUCID_RETENTION_DAYS = 30
    return tmp_path


def days_ago(days: float) -> int:
    return int(time.time() * 1000 - days * DAY)


def page(client: Client) -> str:
    return fetch(client, "/retention/")


def test_files_that_go_within_five_days_are_listed_the_next_one_first(client: Client, config: Path) -> None:
    session(title="Soon", path=f"{config}/projects/a/1.jsonl", written_at=days_ago(26.5))
    session(title="Overdue", path=f"{config}/projects/a/2.jsonl", written_at=days_ago(40))
    session(title="Safe", path=f"{config}/projects/a/3.jsonl", written_at=days_ago(24))
    response = client.get("/retention/")
    assert [file.transcript.title for file in response.context["expiring"]] == ["Overdue", "Soon"]
    html = response.content.decode()
    assert "due now" in html
    assert "3 days" in html


def test_files_that_are_not_the_agents_are_not_its_to_delete(client: Client) -> None:
    session(title="Backup", path="/mnt/backup/projects/a/1.jsonl", written_at=days_ago(400))
    assert "No file is within 5 days of its deletion" in page(client)


def test_the_period_comes_from_the_agents_settings(client: Client, config: Path) -> None:
    session(title="Old", path=f"{config}/projects/a/1.jsonl", written_at=days_ago(28))
    assert "Old" in page(client)
    (config / "settings.json").write_text('{"cleanupPeriodDays": 365}')
    html = page(client)
    assert "365 days" in html
    assert "Old" not in html


@pytest.mark.parametrize("text", ["", "[]", "{", '{"cleanupPeriodDays": "soon"}', '{"cleanupPeriodDays": -1}', "null"])
def test_settings_that_cannot_be_read_mean_the_default(client: Client, config: Path, text: str) -> None:
    (config / "settings.json").write_text(text)
    assert "30 days" in page(client)


def test_vanished_files_are_listed_with_what_the_archive_holds(client: Client) -> None:
    session(title="Gone", state=Source.State.VANISHED, path="/gone/1.jsonl", archived=2048)
    html = page(client)
    assert "Gone" in html
    assert "/gone/1.jsonl" in html
    assert "2.0 KB" in html


def test_a_file_that_is_not_wholly_in_the_archive_says_how_much_is(client: Client, config: Path) -> None:
    session(path=f"{config}/projects/a/1.jsonl", written_at=days_ago(29), size=4096, archived=1024)
    assert ">1.0 KB</span>" in page(client)


def test_hostile_titles_and_paths_are_shown_as_text(client: Client) -> None:
    session(title=HOSTILE, state=Source.State.VANISHED, path=f"/gone/{HOSTILE}")
    assert "<script>alert" not in page(client)
