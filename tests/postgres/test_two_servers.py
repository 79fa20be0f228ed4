"""Two Lucids, each with a home of its own, on one database: whatever they do at the same time is stored once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.postgres.running import fresh_database, rows
from tests.postgres.test_import import start, write
from tests.serving import ROOT, environment, lucid, serving, wait_until

SESSIONS = 5
ROUNDS = 6
TWICE = "SELECT uuid_key, count(*) FROM transcripts_entry GROUP BY uuid_key HAVING count(*) > 1"
ENTRIES = "SELECT count(*) FROM transcripts_entry"
HOLDERS = (
    "SELECT DISTINCT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
# Stops in the middle, with the lock, until a line comes in.
HALF = """
import sys
import django
django.setup()
from pathlib import Path
from sessions.imports.engine.scan import stretches
from sessions.imports.services import import_work, sync
stretches.STRETCH = import_work.COMMIT_BYTES = stretches.BLOCK_SIZE
def pause(progress):
    if progress.entries and not pause.done:
        pause.done = True
        print("half", flush=True)
        sys.stdin.readline()
pause.done = False
sync.sync([Path(sys.argv[1])], workers=1, listener=pause)
print("done", flush=True)
"""
HOLD = """
import sys
import django
django.setup()
from inspector.locks.database_lock import database_lock
with database_lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""


def script(text: str, home: Path, database: str, *arguments: str, **extra: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", text, *arguments],
        cwd=ROOT,
        env=environment(home, DATABASE_URL=database, DJANGO_SETTINGS_MODULE="inspector.settings", **extra),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def hears(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdout is not None
    text = process.stdout.readline()
    assert text == f"{line}\n", text + process.communicate(timeout=60)[1]


@pytest.fixture
def database(postgres_url: str) -> str:
    return fresh_database(postgres_url)


def test_two_imports_of_one_tree_at_once_store_each_entry_once(tmp_path: Path, database: str) -> None:
    write(tmp_path / "config", 75)
    both = [start(tmp_path / name, database, tmp_path / "config") for name in ("first", "second")]
    text = [process.communicate(timeout=180)[0] for process in both]
    assert text == ["ready\ndone\n"] * 2
    assert rows(database, ENTRIES) == [(SESSIONS * 300,)]
    assert rows(database, TWICE) == []
    assert rows(database, "SELECT state, count(*) FROM transcripts_source GROUP BY state") == [("present", SESSIONS)]


def test_two_commands_that_start_together_store_each_entry_once_round_after_round(
    tmp_path: Path, database: str
) -> None:
    for number in range(1, ROUNDS + 1):
        write(tmp_path / "config", 10 * number)
        command = [sys.executable, "-m", "inspector", "import", str(tmp_path / "config"), "--json"]
        both = [
            subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment(tmp_path / home, DATABASE_URL=database),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for home in ("first", "second")
        ]
        ended = [process.communicate(timeout=180) for process in both]
        assert [process.returncode for process in both] == [0, 0], ended
        # Whoever came second found nothing left to do.
        assert sum(json.loads(text)["new_entries"] for text, _ in ended) == SESSIONS * 40, ended
        assert rows(database, ENTRIES) == [(SESSIONS * 40 * number,)]
        assert rows(database, TWICE) == []
        assert rows(database, "SELECT state, count(*) FROM transcripts_source GROUP BY 1") == [("present", SESSIONS)]


def test_two_servers_that_start_at_once_migrate_and_import_once(tmp_path: Path, postgres_url: str) -> None:
    database = fresh_database(postgres_url, migrated=False)
    write(tmp_path / "config", 75)
    settings = {"DATABASE_URL": database, "CLAUDE_CONFIG_DIR": str(tmp_path / "config"), "LUCID_WORKER": "off"}
    with serving(tmp_path / "first", **settings) as first, serving(tmp_path / "second", **settings) as second:
        finished = "SELECT count(*) FROM inspector_run WHERE kind = 'import' AND status = 'completed'"
        wait_until(lambda: rows(database, finished) == [(2,)])
        assert (first.stop(), second.stop()) == (0, 0)
    text = "".join(first.lines + second.lines)
    assert "Traceback" not in text, text
    assert rows(database, ENTRIES) == [(SESSIONS * 300,)]
    assert rows(database, TWICE) == []


def test_whoever_waits_for_another_import_says_so(tmp_path: Path, database: str) -> None:
    write(tmp_path / "config", 2)
    holder = script(HOLD, tmp_path / "first", database, "import")
    hears(holder, "held")
    waiting = subprocess.Popen(
        [sys.executable, "-m", "inspector", "import", str(tmp_path / "config"), "--json"],
        cwd=ROOT,
        env=environment(tmp_path / "second", DATABASE_URL=database),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert waiting.stderr is not None
    assert waiting.stderr.readline() == "another Lucid imports; waiting\n"
    holder.communicate("go\n", timeout=60)
    report, rest = waiting.communicate(timeout=60)
    assert (json.loads(report)["new_entries"], rest) == (SESSIONS * 8, "")


def test_the_home_page_says_that_an_import_waits(tmp_path: Path, database: str) -> None:
    write(tmp_path / "config", 2)
    holder = script(HOLD, tmp_path / "first", database, "import")
    hears(holder, "held")
    settings = {"DATABASE_URL": database, "CLAUDE_CONFIG_DIR": str(tmp_path / "config"), "LUCID_WORKER": "off"}
    with serving(tmp_path / "second", **settings) as server:
        wait_until(lambda: b"Another Lucid imports; waiting" in server.get("/").body)
        holder.communicate("go\n", timeout=60)
        wait_until(lambda: rows(database, ENTRIES) == [(SESSIONS * 8,)])
        wait_until(lambda: b"Another Lucid imports" not in server.get("/").body)


def test_the_lock_of_a_process_that_is_killed_is_free(tmp_path: Path, database: str) -> None:
    holder = script(HOLD, tmp_path / "first", database, "memory")
    hears(holder, "held")
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait(30)
    successor = script(HOLD, tmp_path / "second", database, "memory")
    hears(successor, "held")
    assert successor.communicate("go\n", timeout=60) == ("", "")


def test_an_import_that_lost_its_lock_stops_and_nothing_is_stored_twice(tmp_path: Path, database: str) -> None:
    write(tmp_path / "config", 800)
    half = script(HALF, tmp_path / "first", database, str(tmp_path / "config"))
    hears(half, "half")
    with psycopg.connect(database, autocommit=True) as connection:
        holders = [pid for (pid,) in connection.execute(HOLDERS).fetchall()]
        assert len(holders) == 1
        connection.execute("SELECT pg_terminate_backend(%s)", holders)
    other = lucid(tmp_path / "second", "import", str(tmp_path / "config"), DATABASE_URL=database)
    assert other.returncode == 0, other.stderr
    output, trouble = half.communicate("go\n", timeout=120)
    assert "done" not in output
    assert "LockLostError" in trouble, trouble
    assert rows(database, ENTRIES) == [(SESSIONS * 3200,)]
    assert rows(database, TWICE) == []
    assert rows(database, "SELECT count(*) FROM transcripts_transcript WHERE NOT settled") == [(0,)]
