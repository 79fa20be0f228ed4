"""Runs the probe, and whole commands, on databases that begin empty."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from tests.servers import migrated_template
from tests.serving import ROOT, environment

_numbers = count(1)


def fresh_database(postgres_url: str, *, migrated: bool = True) -> str:
    """A new database on the server, by its address: with all tables and no rows, or with nothing at all."""
    name = f"lucid_{os.getpid()}_{next(_numbers)}"
    template = f" TEMPLATE {migrated_template(postgres_url)}" if migrated else ""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}{template}")
    return f"{postgres_url.rpartition('/')[0]}/{name}"


def probe(
    home: Path,
    database: str,
    paths: Sequence[Path],
    *,
    search: Sequence[str] = (),
    deep: Sequence[str] = (),
    pages: Sequence[str] = (),
) -> dict[str, Any]:
    parameters = {"paths": [str(path) for path in paths], "search": search, "deep": deep, "pages": pages}
    result = subprocess.run(
        [sys.executable, "-m", "tests.postgres.probe"],
        cwd=ROOT,
        env=environment(home, DATABASE_URL=database, DJANGO_SETTINGS_MODULE="inspector.settings"),
        input=json.dumps(parameters),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def rows(database: str, sql: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(database) as connection:
        return connection.execute(sql).fetchall()
