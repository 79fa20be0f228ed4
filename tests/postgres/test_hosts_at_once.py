"""Hosts on one PostgreSQL that import at the same time: each goes on while another is in the middle, and what comes of
it is what would have come of one after the other."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import psycopg
import pytest

from tests.postgres import shared
from tests.postgres.running import fresh_database, probe, rows
from tests.postgres.test_shared_import import LEFT, goes_on
from tests.postgres.test_two_servers import HOLDERS, hears, script
from tests.serving import ROOT, environment, lucid, wait_until
from tests.sessions.writing import Writing, append

SESSIONS = 3
TURNS = 400
PATIENCE = 120
"""Seconds. Whoever waits for an import that is held in the middle waits for ever."""
ROUNDS = 3
ENTRIES = "SELECT count(*) FROM transcripts_entry"
OF_HOST = (
    "SELECT count(*) FROM transcripts_entry e JOIN transcripts_transcript t ON t.id = e.id >> 26"
    " JOIN transcripts_source s ON s.id = t.source_id WHERE s.host = '{host}'"
)
TWICE = (
    "SELECT path FROM transcripts_source WHERE state <> 'replaced' GROUP BY path HAVING count(*) > 1"
    " UNION ALL SELECT entry_id::text FROM transcripts_text GROUP BY entry_id, piece HAVING count(*) > 1"
)
OPEN = (
    "SELECT count(*) FROM transcripts_transcript t JOIN transcripts_source s ON s.id = t.source_id"
    " WHERE NOT settled OR indexed < entries OR s.owed OR s.archived < s.size"
)
# Stops where it is told to, with all its locks, until a line comes in.
STOP = """
import sys
import django
django.setup()
from pathlib import Path
from sessions.imports.engine.scan import stretches
from sessions.imports.services import import_work, sync
stretches.STRETCH = import_work.COMMIT_BYTES = stretches.BLOCK_SIZE
where = sys.argv[2]
def stop(place):
    if place == where and not stop.done:
        stop.done = True
        print(place, flush=True)
        sys.stdin.readline()
stop.done = False
def listener(progress):
    stop("indexing" if progress.phase == "indexing" else "half" if progress.entries else "planned")
def around(name):
    function = getattr(import_work, name)
    def stopping(*arguments):
        function(*arguments)
        stop(name)
    setattr(import_work, name, stopping)
around("settle")
around("index_owed")
report = sync.sync([Path(sys.argv[1])], workers=1, listener=listener)
print("done", report.new_entries, flush=True)
"""
APPENDED = """
import sys
import django
django.setup()
from pathlib import Path
from sessions.imports.services.sync import sync_files
print("grew", len(sync_files([Path(sys.argv[1])])), flush=True)
"""


class Hosts:
    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder
        self.database = database

    def tree(self, host: str) -> Path:
        return self.folder / f"tree-{host}"

    def write(self, host: str, sessions: int = SESSIONS) -> list[Path]:
        """Sessions of its own, under names that the other host has too for the sub-agents: addresses must differ. The
        newest file gets the name alone, and host a plans first, so its files are the newest."""
        project = self.tree(host) / "projects" / "-home-dev-tidewatch"
        written = time.time() - 3600 * (ord(host) - ord("a"))
        paths = []
        for number in range(sessions):
            session = Writing(session=f"{ord(host):08d}-{number:04d}-4000-8000-000000000000").turns(TURNS)
            agent = Writing(session=f"{ord(host):08d}-{number:04d}-4000-9000-000000000000").turns(2)
            of_agent = agent.save(project / session.session / "subagents", f"agent-{number:08x}")
            paths.append(session.save(project))
            for path in (of_agent, paths[-1]):
                os.utime(path, (written, written))
        return paths

    def stop(self, host: str, where: str, tree: Path | None = None) -> subprocess.Popen[str]:
        """Its import, when it has come there."""
        process = script(
            STOP, self.folder / f"home-{host}", self.database, str(tree or self.tree(host)), where, LUCID_HOST=host
        )
        limit = Timer(PATIENCE, process.kill)
        limit.start()
        try:
            hears(process, where)
        finally:
            limit.cancel()
        return process

    def command(self, host: str, tree: Path | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "inspector", "import", str(tree or self.tree(host)), "--json"],
            cwd=ROOT,
            env=environment(self.folder / f"home-{host}", DATABASE_URL=self.database, LUCID_HOST=host),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def imports(self, host: str, tree: Path | None = None) -> dict[str, Any]:
        with self.command(host, tree) as process:
            try:
                output, trouble = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        assert process.returncode == 0, trouble
        report: dict[str, Any] = json.loads(output)
        assert report["failed"] == []
        return report

    def sound(self) -> None:
        assert rows(self.database, TWICE) == []
        assert rows(self.database, OPEN) == [(0,)]
        assert rows(self.database, LEFT) == [(0,)]
        result = lucid(self.folder / "home-a", "check", "--json", DATABASE_URL=self.database, LUCID_HOST="a")
        assert result.returncode == 0, result.stdout + result.stderr
        checked = json.loads(result.stdout)
        assert (checked["damaged"], checked["doubles"]) == (0, [])

    def stored(self, database: str = "") -> dict[str, Any]:
        """Everything, free of ids; nothing is left to be imported."""
        result = probe(self.folder / "home-a", database or self.database, sorted(self.folder.glob("tree-*")))
        assert result["again"] == 0
        assert database or result["report"]["rows_written"] == 0
        return {name: result[name] for name in ("transcripts", "sources", "entries")}


def killed(process: subprocess.Popen[str]) -> None:
    os.kill(process.pid, signal.SIGKILL)
    process.wait(30)


def ends(process: subprocess.Popen[str]) -> int:
    """Goes on to its end. Returns the number of new entries."""
    output, trouble = process.communicate("go\n", timeout=PATIENCE)
    assert process.returncode == 0, trouble
    return int(output.split("done ")[1])


@contextmanager
def held(hosts: Hosts, host: str, where: str, tree: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    process = hosts.stop(host, where, tree)
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=30)


@pytest.fixture
def hosts(tmp_path: Path, postgres_url: str) -> Hosts:
    return Hosts(tmp_path, fresh_database(postgres_url))


EACH = SESSIONS * (TURNS + 2) * 4


def test_a_host_imports_its_tree_while_another_is_in_the_middle_of_its_own(hosts: Hosts, postgres_url: str) -> None:
    hosts.write("a")
    hosts.write("b")
    with held(hosts, "a", "half") as first:
        with held(hosts, "b", "half") as second:
            # Both have written something, and neither has ended.
            begun = [rows(hosts.database, OF_HOST.format(host=host))[0][0] for host in ("a", "b")]
            assert all(0 < entries < EACH for entries in begun), begun
            assert ends(second) == EACH
        assert rows(hosts.database, OF_HOST.format(host="b")) == [(EACH,)]
        assert rows(hosts.database, OF_HOST.format(host="a")) == [(begun[0],)]
        assert hosts.imports("b")["rows_written"] == 0
        assert ends(first) == EACH
    hosts.sound()
    assert hosts.stored() == hosts.stored(fresh_database(postgres_url))


@pytest.mark.parametrize("half", ["origin", "fork"])
def test_what_both_trees_hold_has_one_owner_whichever_is_half_read(hosts: Hosts, postgres_url: str, half: str) -> None:
    """A session was copied from one host to the other and went on there."""
    origin_host, fork_host = ("a", "b") if half == "origin" else ("b", "a")
    (origin,) = hosts.write(origin_host, 1)
    records = [json.loads(line) for line in origin.read_bytes().splitlines()]
    fork = Writing(session="ffffffff-0000-4000-8000-000000000000", count=10_000, leaf=records[-1]["uuid"])
    fork.records = [{**record, "sessionId": fork.session} for record in records]
    fork.clock += 10_000_000
    fork.turns(20).save(hosts.tree(fork_host) / "projects" / "-home-dev-tidewatch")
    with held(hosts, "a", "half") as first:
        begun = rows(hosts.database, ENTRIES)[0][0]
        assert 0 < begun < len(records)
        hosts.imports("b")
        ends(first)
    hosts.sound()
    stored = hosts.stored()
    assert stored["transcripts"][fork.session]["forked_from"] == origin.stem
    assert stored["transcripts"][origin.stem]["forked_from"] is None
    assert stored == hosts.stored(fresh_database(postgres_url))


@pytest.mark.parametrize("where", ["planned", "half", "settle", "indexing", "index_owed"])
def test_an_import_that_is_killed_leaves_that_of_another_host_alone(hosts: Hosts, where: str) -> None:
    hosts.write("a")
    hosts.write("b")
    with held(hosts, "b", "half") as other, held(hosts, "a", where) as first:
        killed(first)
        assert ends(other) == EACH
    assert rows(hosts.database, OF_HOST.format(host="b")) == [(EACH,)]
    # What it wrote can be read and found: the other host made up for the rest of that.
    unfinished = "SELECT count(*) FROM transcripts_transcript WHERE NOT settled AND entries > 0 OR indexed < entries"
    assert rows(hosts.database, unfinished) == [(0,)]
    hosts.imports("a")
    assert rows(hosts.database, ENTRIES) == [(2 * EACH,)]
    hosts.sound()
    hosts.stored()


@pytest.mark.parametrize("where", ["planned", "half", "indexing"])
def test_a_line_that_is_appended_on_one_host_is_stored_while_another_imports(hosts: Hosts, where: str) -> None:
    hosts.write("a")
    path = hosts.write("b", 1)[0]
    hosts.imports("b")
    before = rows(hosts.database, OF_HOST.format(host="b"))[0][0]
    append(path, {"type": "user", "uuid": "99999999-0000-4000-8000-000000000000", "message": {"content": "And now?"}})
    with held(hosts, "a", where) as first:
        follower = script(APPENDED, hosts.folder / "home-b", hosts.database, str(path), LUCID_HOST="b")
        try:
            output, trouble = follower.communicate(timeout=PATIENCE)
        finally:
            follower.kill()
        assert output == "grew 1\n", trouble
        assert rows(hosts.database, OF_HOST.format(host="b")) == [(before + 1,)]
        assert rows(hosts.database, OPEN) != [(0,)]
        ends(first)
    hosts.sound()


def test_a_tree_that_two_hosts_mount_is_stored_once_when_both_import_at_once(hosts: Hosts) -> None:
    tree = hosts.tree("a")
    for number in range(1, ROUNDS + 1):
        hosts.write("a", number)
        both = [hosts.command(host, tree) for host in ("a", "b")]
        ended = [process.communicate(timeout=PATIENCE) for process in both]
        assert [process.returncode for process in both] == [0, 0], ended
        reports = [json.loads(text) for text, _ in ended]
        assert sum(report["new_entries"] for report in reports) == EACH // SESSIONS, ended
        # Whoever did not read them waited until they were there.
        assert [report["entries"] for report in reports] == [number * EACH // SESSIONS] * 2, ended
    hosts.sound()


def test_whoever_finds_files_that_another_host_reads_waits_for_them_and_says_so(hosts: Hosts) -> None:
    hosts.write("a")
    hosts.write("b", 1)
    with held(hosts, "a", "half") as first:
        # Its own file, and those of the other.
        (hosts.tree("b") / "projects").rename(hosts.tree("a") / "projects" / "more")
        (hosts.tree("b")).rmdir()
        second = hosts.command("b", hosts.tree("a"))
        try:
            wait_until(lambda: rows(hosts.database, OF_HOST.format(host="b")) == [(EACH // SESSIONS,)])
            assert second.stderr is not None
            assert second.stderr.readline() == "another Lucid imports; waiting\n"
            assert second.poll() is None
            ends(first)
            report = json.loads(second.communicate(timeout=PATIENCE)[0])
        finally:
            second.kill()
            second.wait(30)
    assert (report["new_entries"], report["entries"]) == (EACH // SESSIONS, EACH + EACH // SESSIONS)
    assert rows(hosts.database, ENTRIES) == [(EACH + EACH // SESSIONS,)]
    hosts.sound()


def test_files_that_a_killed_import_was_reading_are_read_on_by_the_host_that_waits_for_them(hosts: Hosts) -> None:
    hosts.write("a")
    with held(hosts, "a", "half") as first:
        second = hosts.command("b", hosts.tree("a"))
        try:
            assert second.stderr is not None
            assert second.stderr.readline() == "another Lucid imports; waiting\n"
            killed(first)
            report = json.loads(second.communicate(timeout=PATIENCE)[0])
        finally:
            second.kill()
            second.wait(30)
    assert 0 < report["new_entries"] < EACH
    assert rows(hosts.database, ENTRIES) == [(EACH,)]
    hosts.sound()
    hosts.stored()


def test_an_import_that_lost_its_lock_writes_nothing_that_another_host_reads_by_now(hosts: Hosts) -> None:
    hosts.write("a")
    with held(hosts, "a", "half") as first:
        with psycopg.connect(hosts.database, autocommit=True) as connection:
            holders = connection.execute(HOLDERS).fetchall()
            assert len(holders) == 1
            connection.execute("SELECT pg_terminate_backend(%s)", holders[0])
        hosts.imports("b", hosts.tree("a"))
        output, trouble = first.communicate("go\n", timeout=PATIENCE)
        assert "done" not in output
        assert "LockLostError" in trouble, trouble
    assert rows(hosts.database, ENTRIES) == [(EACH,)]
    hosts.sound()
    hosts.stored()


def test_a_shared_import_keeps_its_portions_and_workers_while_another_host_imports(hosts: Hosts) -> None:
    shared.write(hosts.tree("a"))
    hosts.write("b")
    process = script(shared.IMPORT, hosts.folder / "home-a", hosts.database, str(hosts.tree("a")), LUCID_HOST="a")
    try:
        assert process.stdout is not None
        number = process.stdout.readline().strip()
        assert number, process.communicate(timeout=60)[1]
        portions = rows(hosts.database, LEFT)
        assert hosts.imports("b")["new_entries"] == EACH
        assert rows(hosts.database, LEFT) == portions
        reader = script(shared.READ, hosts.folder / "home-c", hosts.database, number, LUCID_HOST="a")
        wait_until(lambda: rows(hosts.database, "SELECT count(*) FROM transcripts_portion WHERE done") != [(0,)])
        report = json.loads(goes_on(process))
        assert reader.communicate(timeout=PATIENCE)[0] == "reading\ndone\n"
    finally:
        process.kill()
        process.wait(30)
    assert (report["new_entries"], report["workers"]) == (shared.ENTRIES, 1)
    hosts.sound()
