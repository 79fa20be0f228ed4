from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from inspector.backup.selectors import NOTE
from inspector.backup.services.make import note_write
from inspector.settings import env
from inspector.settings_page.selectors import without_password
from inspector.web.clock import now_ms

pytestmark = pytest.mark.django_db


@pytest.fixture
def declared() -> Iterator[None]:
    """What a test overrides is as it was afterwards."""
    before = env.declared
    yield
    env.declared = before


def rows(client: Client) -> dict[str, str]:
    """Name -> the words of its row."""
    response = client.get("/settings/")
    assert response.status_code == 200
    matches = re.findall(r'<tr id="(\w+)" class="item">(.*?)</tr>', response.content.decode(), re.DOTALL)
    return {name: " ".join(unescape(re.sub(r"<[^>]+>", " ", row)).split()) for name, row in matches}


def test_every_setting_has_a_row_with_its_meaning(client: Client) -> None:
    output = rows(client)
    assert list(output) == [item.name for item in env.declared]
    assert output["LUCID_BIND"].startswith("LUCID_BIND address ")
    assert "Where the web server listens" in output["LUCID_BIND"]
    assert "Whether Lucid dreams over memory by itself" in output["LUCID_DREAMS"]


def test_a_row_tells_the_value_and_what_set_it(client: Client, declared: None) -> None:
    output = rows(client)
    assert output["LUCID_WATCH"].startswith("LUCID_WATCH on or off on default ")
    assert output["LUCID_MONTHLY_BUDGET"].startswith("LUCID_MONTHLY_BUDGET amount not set default ")
    assert output["LUCID_CLAUDE"].startswith("LUCID_CLAUDE text off the environment instead of claude ")
    env.override("LUCID_WATCH", "off", "lucid serve --no-watch")
    assert rows(client)["LUCID_WATCH"].startswith("LUCID_WATCH on or off off lucid serve --no-watch instead of on ")


def test_what_is_set_is_shown_as_text(client: Client, declared: None) -> None:
    env.override("LUCID_MODEL", "<script>alert(1)</script>", "the environment")
    assert "<script>alert(1)</script>" in rows(client)["LUCID_MODEL"]
    assert b"<script>alert(1)" not in client.get("/settings/").content


def test_keys_and_passwords_are_not_shown(client: Client, declared: None) -> None:
    env.override("ANTHROPIC_API_KEY", "", "the environment")
    env.override("DATABASE_URL", "postgres://lucid:hunter2@db.test/lucid?sslpassword=hunter2", "the environment")
    env.override("LUCID_BETAS", "sk-ant-api03-" + "a1B2" * 20, "the environment")
    output = rows(client)
    assert output["ANTHROPIC_API_KEY"].startswith("ANTHROPIC_API_KEY text set, not shown the environment ")
    assert "postgres://lucid:…@db.test/lucid?… the environment" in output["DATABASE_URL"]
    assert "a1B2a1B2" not in output["LUCID_BETAS"]
    assert "hunter2" not in "".join(output.values())


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgres://user@host/name", "postgres://user@host/name"),
        ("postgres://user:p/a@s:s@host:5432/name", "postgres://user:…@host:5432/name"),
        ("redis://:secret@127.0.0.1:6379/0", "redis://:…@127.0.0.1:6379/0"),
        ("https://token@gateway.test/v1?key=secret", "https://…@gateway.test/v1?…"),
        ("sqlite:////home/dev/lucid.sqlite3", "sqlite:////home/dev/lucid.sqlite3"),
        ("127.0.0.1:8765", "127.0.0.1:8765"),
    ],
)
def test_an_address_loses_its_password(address: str, shown: str) -> None:
    assert without_password(address) == shown


def test_every_page_with_projects_leads_to_it(client: Client) -> None:
    assert b'href="/settings/"' in client.get("/").content
    assert b'href="/settings/"' in client.get("/palette/?q=setting").content


def backup_words(client: Client) -> str:
    response = client.get("/settings/")
    assert response.status_code == 200
    (match,) = re.findall(r'<p class="lead" id="backup">(.*?)</p>', response.content.decode(), re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", "", match)).split())


@pytest.fixture
def note() -> Iterator[Path]:
    path = settings.LUCID_HOME / NOTE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    yield path
    path.unlink(missing_ok=True)


def test_a_backup_that_was_never_made_is_called_so(client: Client, note: Path) -> None:
    words = backup_words(client)
    assert "No backup has been made yet" in words
    assert "lucid backup FILE" in words


def test_the_last_backup_is_shown_with_its_place(client: Client, note: Path, tmp_path: Path) -> None:
    made = tmp_path / "<b>backup.tar"
    made.write_bytes(b"x" * 2048)
    note_write(home=note.parent, path=made, at=now_ms() - 3 * 24 * 3600 * 1000, size=2048)
    words = backup_words(client)
    assert f"The last backup was made 3 days ago to {made} (2.0 KB)." in words
    assert "never" not in words
    assert "no longer there" not in words
    made.unlink()
    assert "no longer there" in backup_words(client)


GARBAGE = [b"", b"{", b"[]", b'{"path": 1, "at": 2, "bytes": 3}', b"\xff\x00" * 99, b"[" * 50_000]


@pytest.mark.parametrize("data", GARBAGE)
def test_a_note_that_cannot_be_read_is_not_called_never(client: Client, note: Path, data: bytes) -> None:
    note.write_bytes(data)
    assert "is not known" in backup_words(client)
