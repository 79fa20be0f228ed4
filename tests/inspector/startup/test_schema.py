from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from inspector.startup.schema import read_schema

pytestmark = pytest.mark.django_db


def test_a_database_of_this_program_lacks_nothing_and_knows_nothing_more() -> None:
    schema = read_schema(connection)
    assert schema.pending == schema.unknown == ()
    assert {"transcripts.0001_initial", "memory.0001_initial", "inspector.0001_initial"} <= set(schema.applied)


def test_what_was_not_applied_is_pending_with_what_builds_on_it() -> None:
    last = MigrationRecorder.Migration.objects.filter(app="inspector").latest("name").name
    MigrationRecorder(connection).record_unapplied("inspector", last)
    schema = read_schema(connection)
    assert f"inspector.{last}" in schema.pending
    assert f"inspector.{last}" not in schema.applied
    assert schema.unknown == ()


def test_what_a_newer_program_applied_is_unknown() -> None:
    MigrationRecorder(connection).record_applied("transcripts", "9999_of_tomorrow")
    schema = read_schema(connection)
    assert schema.unknown == ("transcripts.9999_of_tomorrow",)
    assert schema.pending == ()


def test_migrations_of_apps_that_are_not_ours_do_not_matter() -> None:
    before = read_schema(connection)
    MigrationRecorder(connection).record_applied("auth", "0001_initial")
    assert read_schema(connection) == before


def test_an_empty_database_lacks_everything() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE django_migrations RENAME TO put_away")
        try:
            schema = read_schema(connection)
        finally:
            cursor.execute("ALTER TABLE put_away RENAME TO django_migrations")
    assert schema.applied == ()
    assert "transcripts.0001_initial" in schema.pending
