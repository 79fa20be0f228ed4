"""A large import that workers share: the same rows as without them, whoever dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.postgres.running import fresh_database, probe, rows
from tests.postgres.shared import ENTRIES, IMPORT, READ, RUN, SESSIONS, write
from tests.postgres.test_two_servers import TWICE, hears, script
from tests.serving import lucid, serving, wait_until, worker

STORED = "SELECT count(*) FROM transcripts_entry"
LEFT = "SELECT (SELECT count(*) FROM transcripts_portion) + (SELECT count(*) FROM transcripts_sharedimport)"
BLOCKED = (
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    " AND query LIKE '%transcripts_source%'"
)


@pytest.fixture
def database(tmp_path: Path, postgres_url: str) -> str:
    write(tmp_path / "config")
    return fresh_database(postgres_url)


@contextmanager
def importing(tmp_path: Path, database: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """An import that has called for help and waits for a line, and the number of what it shares."""
    process = script(IMPORT, tmp_path / "first", database, str(tmp_path / "config"))
    try:
        assert process.stdout is not None
        number = process.stdout.readline().strip()
        assert number, process.communicate(timeout=60)[1]
        yield process, number
    finally:
        process.kill()
        process.wait(30)


@contextmanager
def sources_locked(database: str) -> Iterator[None]:
    """Whoever reads a portion comes as far as to say so, and no farther."""
    with psycopg.connect(database) as connection:
        connection.execute("SELECT 1 FROM transcripts_source FOR UPDATE")
        yield


def goes_on(process: subprocess.Popen[str], word: str = "go") -> str:
    output, trouble = process.communicate(f"{word}\n", timeout=180)
    assert process.returncode == 0, trouble
    return output.strip()


def whole(database: str) -> None:
    """Everything is stored, once, and nothing of the sharing is left."""
    assert rows(database, STORED) == [(ENTRIES,)]
    assert rows(database, TWICE) == []
    assert rows(database, LEFT) == [(0,)]
    assert rows(database, "SELECT count(*) FROM transcripts_transcript WHERE NOT settled OR indexed < entries") == [
        (0,)
    ]
    assert rows(database, "SELECT count(*) FROM transcripts_source WHERE owed OR archived <> size") == [(0,)]
    indexes = "SELECT count(*) FROM pg_indexes WHERE indexname IN ('entry_uuid', 'entry_tool')"
    assert rows(database, indexes) == [(2,)]


def stored(tmp_path: Path, database: str) -> dict[str, Any]:
    result = probe(tmp_path / "first", database, [tmp_path / "config"], search=["tide", "gauge"])
    return {name: result[name] for name in ("transcripts", "sources", "entries", "search", "again")}


def test_what_workers_read_is_stored_as_if_one_process_had_read_all(
    tmp_path: Path, postgres_url: str, database: str
) -> None:
    alone = fresh_database(postgres_url)
    result = lucid(tmp_path / "alone", "import", str(tmp_path / "config"), "--json", DATABASE_URL=alone)
    assert result.returncode == 0, result.stderr
    with importing(tmp_path, database) as (process, number):
        readers = [script(READ, tmp_path / name, database, number) for name in ("second", "third")]
        for reader in readers:
            hears(reader, "reading")
        wait_until(lambda: rows(database, "SELECT count(*) FROM transcripts_portion WHERE done") != [(0,)])
        report = json.loads(goes_on(process))
        for reader in readers:
            hears(reader, "done")
            reader.communicate(timeout=60)
    assert report["workers"] in (1, 2)
    local = json.loads(result.stdout)
    timed = ("seconds", "browsable_seconds", "workers", "rows_written")
    assert {**report, **dict.fromkeys(timed)} == {**local, **dict.fromkeys(timed)}
    whole(database)
    assert stored(tmp_path, database) == stored(tmp_path, alone)


def test_what_a_killed_worker_had_is_read_by_others(tmp_path: Path, database: str) -> None:
    with importing(tmp_path, database) as (process, number):
        with sources_locked(database):
            reader = script(READ, tmp_path / "second", database, number)
            wait_until(lambda: rows(database, BLOCKED) == [(1,)])
            os.kill(reader.pid, signal.SIGKILL)
            reader.wait(30)
        report = json.loads(goes_on(process))
    assert (report["new_entries"], report["workers"], report["failed"]) == (ENTRIES, 0, [])
    whole(database)


def test_workers_stop_when_the_import_is_killed_and_the_next_one_makes_up_for_it(tmp_path: Path, database: str) -> None:
    with importing(tmp_path, database) as (process, number):
        with sources_locked(database):
            reader = script(READ, tmp_path / "second", database, number)
            wait_until(lambda: rows(database, BLOCKED) == [(1,)])
            process.kill()
            process.wait(30)
        output, trouble = reader.communicate(timeout=180)
        assert output == "reading\ndone\n", trouble
    # One portion may have been finished, but no more were begun.
    assert rows(database, "SELECT count(*) < 3 FROM transcripts_transcript WHERE entries > 0") == [(True,)]
    assert rows(database, "SELECT count(*) > 0 FROM transcripts_portion") == [(True,)]
    second = lucid(tmp_path / "second", "import", str(tmp_path / "config"), DATABASE_URL=database)
    assert second.returncode == 0, second.stderr
    whole(database)


def test_an_import_that_somebody_stops_takes_its_workers_along(tmp_path: Path, database: str) -> None:
    with importing(tmp_path, database) as (process, number), ExitStack() as locked:
        locked.enter_context(sources_locked(database))
        reader = script(READ, tmp_path / "second", database, number)
        wait_until(lambda: rows(database, BLOCKED) == [(1,)])
        assert process.stdin is not None
        process.stdin.write("stop\n")
        process.stdin.flush()
        wait_until(lambda: rows(database, "SELECT count(*) FROM transcripts_sharedimport") == [(0,)])
        locked.close()
        assert goes_on(process) == "stopped"
        output, trouble = reader.communicate(timeout=180)
        assert output == "reading\ndone\n", trouble
    assert rows(database, LEFT) == [(0,)]
    second = lucid(tmp_path / "second", "import", str(tmp_path / "config"), DATABASE_URL=database)
    assert second.returncode == 0, second.stderr
    whole(database)


def test_a_worker_that_has_other_files_under_the_same_paths_leaves_them(tmp_path: Path, database: str) -> None:
    with importing(tmp_path, database) as (process, number):
        for path in (tmp_path / "config").rglob("*.jsonl"):
            os.utime(path, (1_000_000_000, 1_000_000_000))
        reader = script(READ, tmp_path / "second", database, number, LUCID_HOST="elsewhere")
        assert reader.communicate(timeout=180)[0] == "reading\ndone\n"
        report = json.loads(goes_on(process))
    assert (report["new_entries"], report["workers"], report["failed"]) == (ENTRIES, 0, [])
    whole(database)


def test_a_file_that_nobody_can_read_is_reported_and_the_others_are_stored(tmp_path: Path, database: str) -> None:
    with importing(tmp_path, database) as (process, number):
        next((tmp_path / "config").rglob("*.jsonl")).unlink()
        reader = script(READ, tmp_path / "second", database, number)
        assert reader.communicate(timeout=180)[0] == "reading\ndone\n"
        report = json.loads(goes_on(process))
    assert (len(report["failed"]), report["workers"]) == (1, 1)
    assert rows(database, STORED) == [(ENTRIES - ENTRIES // SESSIONS,)]


def test_workers_on_redis_take_part_and_the_page_of_the_run_says_so(
    tmp_path: Path, database: str, redis_url: str
) -> None:
    servers = {"DATABASE_URL": database, "REDIS_URL": redis_url}
    with (
        worker(tmp_path / "second", redis_url, DATABASE_URL=database),
        worker(tmp_path / "third", redis_url, DATABASE_URL=database),
        serving(tmp_path / "fourth", LUCID_WATCH="off", LUCID_WORKER="off", **servers) as server,
    ):
        wait_until(lambda: _places(tmp_path, servers) == 2, seconds=300)
        process = script(RUN, tmp_path / "first", database, str(tmp_path / "config"), REDIS_URL=redis_url)
        trouble = process.communicate(timeout=420)[1]
        assert process.returncode == 0, trouble
        ((number, result),) = rows(database, "SELECT id, result FROM inspector_run WHERE kind = 'import'")
        assert result["workers"] in (1, 2), result
        output = server.get(f"/runs/{number}/").body.decode()
        assert f"shared with {result['workers']} worker" in output, output
    whole(database)


def test_without_the_setting_nothing_is_shared(tmp_path: Path, database: str) -> None:
    process = script(IMPORT, tmp_path / "first", database, str(tmp_path / "config"), LUCID_SHARE_IMPORTS="off")
    assert json.loads(goes_on(process))["workers"] == 0
    whole(database)


PLACES = """
import django
django.setup()
from sessions.imports.services.shared import celery_workers as import_workers
import_workers.ANSWER_SECONDS = 10
print(import_workers.workers.places())
"""


def _places(tmp_path: Path, servers: dict[str, str]) -> int:
    process = script(PLACES, tmp_path / "first", servers["DATABASE_URL"], REDIS_URL=servers["REDIS_URL"])
    output, trouble = process.communicate(timeout=180)
    assert process.returncode == 0, trouble
    return int(output)
