"""A small part of `make faults`, so that neither it nor what it holds against Lucid rots."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.clock import jump
from tests.faults.disk import full_disk
from tests.faults.judging import attempt, calm
from tests.faults.kills import kill
from tests.faults.scenarios import Begin, scenario
from tests.faults.shim import Fault, Mode, Trouble
from tests.faults.states import States
from tests.faults.sweep import sweep
from tests.faults.table import Row, table
from tests.faults.warm import best_folder, warm


@pytest.fixture(scope="module")
def states() -> Iterator[States]:
    with (
        tempfile.TemporaryDirectory(prefix="lucid-faults-", dir=best_folder()) as folder,
        warm(Path(folder)) as started,
    ):
        yield States(started)


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


@pytest.mark.long
def test_a_clock_that_jumps_loses_nothing(states: States) -> None:
    assert nothing_lost(jump(states, scenario("tidy and accept"), seed=14))


@pytest.mark.long
def test_a_migration_that_is_cut_off_leaves_nothing_in_the_way(states: States) -> None:
    """Tables without the note that they were made kept every later start from working."""
    first = scenario("first start")
    quiet = calm(states, first)
    states.put_back(Begin.EMPTY)
    for at in range(quiet.calls // 4, quiet.calls, quiet.calls // 4):
        ended, findings = attempt(states, first, quiet, Fault(at, Mode.KILL))
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
