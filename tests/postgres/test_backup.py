"""Backups of PostgreSQL, and from one kind of database to the other: the same answers afterwards."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import psycopg
import pytest

from tests.inspector.backup.crafting import crafted
from tests.inspector.backup.services.filling import answers, differences, filled
from tests.inspector.backup.services.meanwhile import backups_made_meanwhile
from tests.postgres.running import fresh_database, rows
from tests.serving import lucid


def database_of(kind: str, postgres_url: str) -> dict[str, str]:
    return {"DATABASE_URL": fresh_database(postgres_url)} if kind == "postgresql" else {}


@pytest.mark.parametrize(
    ("before", "after"), [("postgresql", "postgresql"), ("sqlite", "postgresql"), ("postgresql", "sqlite")]
)
def test_a_home_moves_between_databases(tmp_path: Path, postgres_url: str, before: str, after: str) -> None:
    there, here = database_of(before, postgres_url), database_of(after, postgres_url)
    filled(tmp_path, tmp_path / "first", **there)
    expected = answers(tmp_path, tmp_path / "first", **there)
    made = lucid(tmp_path / "first", "backup", str(tmp_path / "backup.lucid"), "--json", **there)
    assert made.returncode == 0, made.stderr
    result = lucid(tmp_path / "second", "restore", str(tmp_path / "backup.lucid"), "--json", **here)
    assert result.returncode == 0, result.stderr
    data = json.loads(result.stdout)
    assert data["reindexed"] == (before != after)
    assert differences(expected, answers(tmp_path, tmp_path / "second", **here)) == []


def test_a_backup_is_of_one_moment_while_the_server_writes(tmp_path: Path, postgres_url: str) -> None:
    """It is restored to SQLite."""
    backups_made_meanwhile(tmp_path, DATABASE_URL=fresh_database(postgres_url))


@pytest.fixture
def database(tmp_path: Path, postgres_url: str) -> str:
    """With one project, and a backup of it."""
    database = fresh_database(postgres_url)
    result = lucid(tmp_path / "home", "sessions", DATABASE_URL=database)
    assert result.returncode == 0, result.stderr
    with psycopg.connect(database) as connection:
        connection.execute("INSERT INTO transcripts_project (directory, cwd) VALUES ('first', '')")
    result = lucid(tmp_path / "home", "backup", str(tmp_path / "backup.tar"), DATABASE_URL=database)
    assert result.returncode == 0, result.stderr
    return database


def restore(tmp_path: Path, database: str, *options: str) -> subprocess.CompletedProcess[str]:
    return lucid(tmp_path / "home", "restore", str(tmp_path / "backup.tar"), *options, DATABASE_URL=database)


def test_what_was_there_is_moved_aside(tmp_path: Path, database: str) -> None:
    with psycopg.connect(database) as connection:
        connection.execute("INSERT INTO transcripts_project (directory, cwd) VALUES ('second', '')")
        connection.execute("CREATE TABLE elses (id integer)")
    result = restore(tmp_path, database)
    assert (result.returncode, result.stdout) == (1, "")
    assert "is not empty" in result.stderr
    result = restore(tmp_path, database, "--replace", "--json")
    assert result.returncode == 0, result.stderr
    _, place = json.loads(result.stdout)["aside"]
    schema = place.removeprefix("the schema ")
    assert rows(database, "SELECT directory FROM transcripts_project") == [("first",)]
    aside = rows(database, f"SELECT directory FROM {schema}.transcripts_project ORDER BY id")
    assert aside == [("first",), ("second",)]
    assert rows(database, "SELECT * FROM public.elses") == []
    assert rows(database, "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, 'lucid_restoring')") == []
    # New rows get new numbers.
    with psycopg.connect(database) as connection:
        connection.execute("INSERT INTO transcripts_project (directory, cwd) VALUES ('third', '')")
    assert rows(database, "SELECT id FROM transcripts_project ORDER BY id") == [(1,), (2,)]


def test_nothing_is_restored_while_others_are_connected(tmp_path: Path, database: str) -> None:
    with psycopg.connect(database):
        result = restore(tmp_path, database, "--replace")
    assert (result.returncode, result.stdout) == (1, "")
    assert "stop every Lucid on it" in result.stderr
    assert rows(database, "SELECT directory FROM transcripts_project") == [("first",)]


def test_a_restore_that_fails_leaves_the_database_alone(tmp_path: Path, database: str) -> None:
    migrations = [f"{app}.{name}" for app, name in rows(database, "SELECT app, name FROM django_migrations")]
    (tmp_path / "backup.tar").write_bytes(
        crafted(("tables", "transcripts_project", ("id", "directory"), [(1, "x")]), migrations=migrations, files=0)
    )
    result = restore(tmp_path, database, "--replace")
    assert (result.returncode, result.stdout) == (1, "")
    assert "table" in result.stderr
    assert rows(database, "SELECT directory FROM transcripts_project") == [("first",)]
    assert rows(database, "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, 'lucid_')") == []


def test_every_type_of_column_is_one_that_travels(database: str) -> None:
    """A new kind of column has to be thought of: it may be written differently by the two databases."""
    result = rows(
        database,
        "SELECT DISTINCT data_type FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name <> 'django_migrations'",
    )
    known = {"bigint", "integer", "smallint", "boolean", "double precision", "bytea", "jsonb", "text", "tsvector"}
    assert {kind for (kind,) in result} <= known | {"character varying"}


def test_a_connection_that_breaks_while_tables_are_replaced_leaves_no_false_word(tmp_path: Path, database: str) -> None:
    """Whether the last statement came through is not known then."""
    with psycopg.connect(database) as connection:
        connection.execute(
            "CREATE FUNCTION cut() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN"
            " IF current_query() LIKE '%SET SCHEMA%' THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;"
            " END $$"
        )
        connection.execute("CREATE EVENT TRIGGER cut ON ddl_command_end EXECUTE FUNCTION cut()")
    result = restore(tmp_path, database, "--replace")
    assert (result.returncode, result.stdout) == (1, "")
    assert "it holds what it held before, or the backup" in result.stderr
    assert rows(database, "SELECT directory FROM transcripts_project") == [("first",)]
