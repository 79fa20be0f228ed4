"""Backups of PostgreSQL, and from one kind of database to the other: the same answers afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.inspector.services.backup.filling import answers, differences, filled
from tests.postgres.running import fresh_database
from tests.serving import lucid

SQLITE = ""


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
    done = lucid(tmp_path / "second", "restore", str(tmp_path / "backup.lucid"), "--json", **here)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["reindexed"] == (before != after)
    assert differences(expected, answers(tmp_path, tmp_path / "second", **here)) == []
