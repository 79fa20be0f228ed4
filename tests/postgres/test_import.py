"""Imports into PostgreSQL: by several processes, cut off at any point, and followed live."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psycopg

from tests.postgres.running import fresh_database, probe, rows
from tests.serving import ROOT, environment, lucid, serving, wait_until
from tests.sessions.imports.services.test_killed_import import IMPORT
from tests.sessions.writing import Writing, append

SESSIONS = 5
KILLS = 4


def write(config: Path, turns: int) -> list[Path]:
    project = config / "projects" / "-home-dev-tidewatch"
    return [
        Writing(session=f"{number:08d}-0000-4000-8000-000000000000").turns(turns).save(project)
        for number in range(SESSIONS)
    ]


def test_scanning_processes_leave_the_connection_alone(tmp_path: Path, postgres_url: str) -> None:
    database = fresh_database(postgres_url)
    paths = write(tmp_path / "config", 300)
    large = Writing(session="99999999-0000-4000-8000-000000000000")
    large.user("tide " * 2_000_000)
    large.save(paths[0].parent)

    first = lucid(tmp_path / "home", "import", str(tmp_path / "config"), "--json", DATABASE_URL=database)
    assert first.returncode == 0, first.stderr
    report = json.loads(first.stdout)
    assert (report["entries"], report["failed"]) == (SESSIONS * 1_200 + 1, [])
    # One file alone is large enough for a process of its own.
    large.user("tide " * 2_000_000)
    large.save(paths[0].parent)
    second = lucid(tmp_path / "home", "import", str(tmp_path / "config"), "--json", DATABASE_URL=database)
    assert json.loads(second.stdout)["new_entries"] == 1, second.stderr
    third = lucid(tmp_path / "home", "import", str(tmp_path / "config"), "--json", DATABASE_URL=database)
    assert json.loads(third.stdout)["rows_written"] == 0, third.stderr
    assert rows(database, "SELECT count(*) FROM transcripts_entry") == [(SESSIONS * 1_200 + 2,)]
    assert rows(database, "SELECT count(*) FROM transcripts_transcript WHERE NOT settled") == [(0,)]


def start(home: Path, database: str, config: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", IMPORT, str(config), "0"],
        cwd=ROOT,
        env=environment(home, DATABASE_URL=database, DJANGO_SETTINGS_MODULE="inspector.settings"),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_an_import_killed_at_random_points_ends_up_like_one_that_was_not(tmp_path: Path, postgres_url: str) -> None:
    config = tmp_path / "config"
    write(config, 400)
    database = fresh_database(postgres_url)
    chance = random.Random(11)
    for _ in range(KILLS):
        with start(tmp_path / "stormy", database, config) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(chance.uniform(0, 0.6))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)

    stormy = _stored(probe(tmp_path / "stormy", database, [config], search=["harbour 7"]))
    calm = _stored(probe(tmp_path / "calm", fresh_database(postgres_url), [config], search=["harbour 7"]))

    assert stormy == calm
    twice = "SELECT entry_id FROM transcripts_text GROUP BY entry_id, piece HAVING count(*) > 1"
    assert rows(database, twice) == []


def _stored(data: dict[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in ("transcripts", "sources", "entries", "search", "again")}


def test_a_growing_session_is_followed(tmp_path: Path, postgres_url: str) -> None:
    writing = Writing().turns(2)
    path = writing.save(tmp_path / "config" / "projects" / "-home-dev-tidewatch")
    settings = {"DATABASE_URL": fresh_database(postgres_url), "CLAUDE_CONFIG_DIR": str(tmp_path / "config")}
    with serving(tmp_path / "home", LUCID_WORKER="off", **settings) as server:
        page = f"/sessions/{writing.session}/"
        wait_until(lambda: b"Harbour 1 has high water" in server.get(page).body)
        time.sleep(1)  # the watcher looks at the tree a second time before it waits for changes
        writing.assistant("The **lock gate** is open.")
        append(path, writing.records[-1])
        wait_until(lambda: b"lock gate" in server.get(f"{page}live/?after=8").body)
        assert server.get(f"{page}live/?after=9").status == 204
        # Words are indexed right after the rows that are shown.
        wait_until(lambda: b"lock gate" in server.get("/search/?q=gate").body.replace(b"<mark>gate</mark>", b"gate"))
        assert server.stop() == 0
    assert "Traceback" not in "".join(server.lines)


def test_tables_that_were_counted_while_they_were_empty_are_counted_anew(tmp_path: Path, postgres_url: str) -> None:
    database = fresh_database(postgres_url)
    write(tmp_path / "before", 300)
    lucid(tmp_path / "home", "import", str(tmp_path / "before"), DATABASE_URL=database)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DELETE FROM transcripts_entry")
        connection.execute("ANALYZE transcripts_entry")

    project = tmp_path / "after" / "projects" / "-home-dev-tidewatch"
    Writing(session="88888888-0000-4000-8000-000000000000").turns(500).save(project)
    imported = lucid(tmp_path / "home", "import", str(tmp_path / "after"), DATABASE_URL=database)
    assert imported.returncode == 0, imported.stderr
    ((counted,),) = rows(database, "SELECT reltuples FROM pg_class WHERE relname = 'transcripts_entry'")
    assert counted >= 2_000
