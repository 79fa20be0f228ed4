"""A small part of `make faults`, so that neither it nor what it holds against Lucid rots."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.faults.clock import jump
from tests.faults.disk import full_disk
from tests.faults.fingerprint import fingerprint
from tests.faults.judging import attempt, calm
from tests.faults.kills import kill
from tests.faults.scenarios import Begin, scenario
from tests.faults.shim import Fault, Mode, Trouble
from tests.faults.states import States
from tests.faults.sweep import faults_of, sweep
from tests.faults.table import Row, table
from tests.faults.warm import Place, best_folder, warm


@pytest.fixture(scope="module")
def states() -> Iterator[States]:
    with (
        tempfile.TemporaryDirectory(prefix="lucid-faults-", dir=best_folder()) as folder,
        warm(Path(folder)) as started,
    ):
        yield States(started)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.home.mkdir()
    place.config.mkdir()
    (place.config / "tides.md").write_text("Twice a day.")
    with closing(sqlite3.connect(place.home / "lucid.sqlite3")) as database:
        database.execute("CREATE TABLE inspector_run (id, at, inode)")
        inode = (place.config / "tides.md").stat().st_ino
        database.execute("INSERT INTO inspector_run VALUES (1, ?, ?)", [time.time_ns(), inode])
        database.commit()
    return place


def change(place: Place, sql: str) -> None:
    with closing(sqlite3.connect(place.home / "lucid.sqlite3")) as database:
        database.execute(sql)
        database.commit()


def nothing_lost(row: Row) -> bool:
    assert row.tried
    assert not row.lost, "\n".join(row.lost)
    return True


@pytest.mark.parametrize("name", ["import", "rename in memory", "record a request", "let a browser in"])
def test_a_write_that_fails_loses_nothing_and_is_told(states: States, name: str) -> None:
    assert nothing_lost(sweep(states, scenario(name), most=5))


@pytest.mark.parametrize("name", ["import", "tidy and accept"])
def test_a_kill_loses_nothing(states: States, name: str) -> None:
    assert nothing_lost(kill(states, scenario(name), count=3, seed=14))


def test_every_call_fails_once_and_from_then_on_with_each_kind_of_trouble_in_its_turn() -> None:
    faults = faults_of(60)
    for mode in (Mode.ONCE, Mode.ON):
        assert {fault.at for fault in faults if (fault.mode, fault.trouble) != (Mode.ONCE, Trouble.SHORT)} == set(
            range(1, 61)
        )
        counts = Counter(fault.trouble for fault in faults if fault.mode is mode)
        assert set(counts) == set(Trouble)
        assert min(counts.values()) >= 20
    assert len(faults_of(60, most=7)) == 7
    assert len(faults_of(60, all_troubles=True)) == 360


def test_states_that_differ_in_times_alone_are_the_same(place: Place) -> None:
    mark = fingerprint(place)
    assert mark is not None
    change(place, f"UPDATE inspector_run SET at = {time.time_ns() + 1}")
    assert fingerprint(place) == mark
    change(place, "UPDATE inspector_run SET at = 1762000000000")
    assert fingerprint(place) != mark


def test_states_with_another_row_file_or_inode_differ(place: Place) -> None:
    marks = {fingerprint(place)}
    change(place, "INSERT INTO inspector_run VALUES (2, 0, 0)")
    marks.add(fingerprint(place))
    (place.home / "left").write_bytes(b"")
    marks.add(fingerprint(place))
    (place.config / "fog.md").write_text("Stay in.")
    marks.add(fingerprint(place))
    os.replace(place.config / "fog.md", place.config / "tides.md")
    marks.add(fingerprint(place))
    assert len(marks) == 5


def test_a_database_that_is_not_sound_has_no_fingerprint(place: Place) -> None:
    path = place.home / "lucid.sqlite3"
    data = bytearray(path.read_bytes())
    data[4096:4200] = bytes(104)
    path.write_bytes(data)
    assert fingerprint(place) is None


@pytest.mark.long
def test_a_backup_whose_last_steps_fail_says_what_is_true(states: States) -> None:
    """It said that nothing was changed, also after its file had its name, and left drafts of its note for ever."""
    backup = scenario("backup")
    quiet = calm(states, backup)
    text = ""
    for number in range(quiet.calls - 11, quiet.calls + 1):
        for mode in (Mode.ONCE, Mode.ON):
            ended, findings = attempt(states, backup, quiet, Fault(number, mode))
            assert not findings, "\n".join(map(str, findings))
            text += ended.output
    assert "before its name was safe" in text


@pytest.mark.long
def test_a_restore_whose_last_steps_fail_says_what_is_true(states: States) -> None:
    """It said that nothing was changed, also after the database was exchanged."""
    restore = scenario("restore")
    quiet = calm(states, restore)
    text = ""
    for number in range(quiet.calls - 14, quiet.calls + 1):
        ended, findings = attempt(states, restore, quiet, Fault(number, Mode.ON))
        assert not findings, "\n".join(map(str, findings))
        text += ended.output
    assert "is that of the backup now" in text


@pytest.mark.long
def test_a_restore_says_where_a_database_is_that_could_not_be_put_back(states: States) -> None:
    """On a disk without hard links the old database has to be moved before the new one gets its name. When that fails,
    and goes on failing, it said that nothing was changed."""
    restore = scenario("restore")
    states.warm.links = False
    states.put_back(restore.begin)
    home = states.warm.place.home
    calls = states.warm.do(restore.work, restore.arguments(states.warm)).seen.calls
    assert compactions(home) == 1
    outputs = []
    for number in range(calls - 17, calls - 7):
        states.put_back(restore.begin)
        ended = states.warm.do(restore.work, restore.arguments(states.warm), fault=Fault(number, Mode.ON))
        assert ended.status == 1, ended.output
        aside = next(home.glob("before-restore-*"), home)
        where = home if "Nothing was changed" in ended.output else aside
        assert compactions(where) == 0, ended.output
        assert where == home or str(aside) in ended.output
        outputs.append(ended.output)
    states.warm.links = True
    for words in ("Nothing was changed", "again while it was put back", "is that of the backup now"):
        assert any(words in output for output in outputs), outputs


def compactions(folder: Path) -> int:
    """The backup has one."""
    with closing(sqlite3.connect(f"file:{folder / 'lucid.sqlite3'}?mode=ro", uri=True)) as database:
        count: int = database.execute("SELECT count(*) FROM compaction_compaction").fetchone()[0]
        return count


@pytest.mark.long
def test_a_clock_that_jumps_loses_nothing(states: States) -> None:
    assert nothing_lost(jump(states, scenario("tidy and accept"), seed=14))


@pytest.mark.long
def test_a_migration_that_is_cut_off_leaves_nothing_in_the_way(states: States) -> None:
    """Tables without the note that they were made kept every later start from working."""
    first = scenario("first start")
    quiet = calm(states, first)
    states.put_back(Begin.EMPTY)
    for index in range(quiet.calls // 4, quiet.calls, quiet.calls // 4):
        ended, findings = attempt(states, first, quiet, Fault(index, Mode.KILL))
        assert ended.status != 0
        assert not findings, "\n".join(map(str, findings))


def test_a_first_start_on_a_broken_disk_says_so(states: States) -> None:
    first = scenario("first start")
    states.put_back(Begin.EMPTY)
    ended = states.warm.do(first.work, first.arguments(states.warm), fault=Fault(40, Mode.ON, Trouble.BROKEN))
    assert ended.status == 1
    assert "Traceback" not in ended.output
    assert "disk I/O error" in ended.output or "input/output error" in ended.output


@pytest.mark.long
def test_on_a_disk_that_is_really_full_nothing_is_lost() -> None:
    assert nothing_lost(full_disk())


def test_the_table_counts_what_was_lost() -> None:
    rows = [
        Row("kill -9", "import", "SQLite", tried=3, hit=2),
        Row("kill -9", "dream", "SQLite", tried=1, lost=["all"]),
    ]
    assert table(rows).splitlines()[-1].split("|")[4:7] == [" 4     ", " 2   ", " 1    "]
