from __future__ import annotations

import re

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from inspector import __version__

pytestmark = pytest.mark.django_db


def test_it_tells_that_all_is_well(client: Client) -> None:
    answer = client.get("/health/", HTTP_HOST="localhost")
    assert answer.status_code == 200
    data = answer.json()
    assert re.fullmatch(r"\w+\.\d{4}_\w+", data.pop("schema"))
    counted = {"forwarded": 0, "written": 0, "lost": 0, "waiting": 0, "unreadable": 0}
    assert data.pop("capture") == counted
    assert data == {"status": "ok", "version": __version__, "database": "ok", "worker": "off", "watcher": "off"}


def test_a_lacking_migration_is_a_reason(client: Client) -> None:
    last = MigrationRecorder.Migration.objects.filter(app="transcripts").latest("name")
    last.delete()
    answer = client.get("/health/", HTTP_HOST="localhost")
    assert answer.status_code == 503
    assert answer.json()["status"] == "unwell"
    assert answer.json()["reasons"] == [f"the database lacks transcripts.{last.name}"]


def test_an_unreadable_database_is_a_reason(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE django_migrations RENAME COLUMN app TO gone")
    answer = client.get("/health/", HTTP_HOST="localhost")
    assert answer.status_code == 503
    assert answer.json()["database"] == "unreadable"


def test_only_reading_is_allowed(client: Client) -> None:
    assert client.post("/health/", HTTP_HOST="localhost").status_code == 405
