"""Morning, part two: the change itself, with a hook that complains and a test that fails first."""

from __future__ import annotations

from tests.demo.story import context, events
from tests.demo.story.blocks import Say, Think, hidden
from tests.demo.story.session import Session
from tests.demo.story.tools import bash, edit, other, read, write

TASKS = ["Walk the hours in UTC", "Give extremes() the real day", "Tests for both clock changes"]

OLD_HOURS = '''\
def hours_of(day, zone):
    """Every full hour of a local day."""
    start = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone))
    end = start + timedelta(days=1)
    hour = start
    while hour < end:
        yield hour
        hour += timedelta(hours=1)
'''

NEW_HOURS = '''\
def bounds(day, zone):
    """Start and end of a local day in UTC: 23, 24 or 25 hours apart."""
    local = ZoneInfo(zone)
    after = day + timedelta(days=1)
    start = datetime(day.year, day.month, day.day, tzinfo=local)
    end = datetime(after.year, after.month, after.day, tzinfo=local)
    return start.astimezone(timezone.utc), end.astimezone(timezone.utc)


def hours_of(day, zone):
    """Every full hour of a local day, in UTC."""
    hour, end = bounds(day, zone)
    while hour < end:
        yield hour
        hour += timedelta(hours=1)
'''

OLD_ROWS = """\
    for hour in hours_of(day, station.zone):
        yield hour.strftime("%H:%M"), height(station.constituents, station.datum, hour)
"""

NEW_ROWS = """\
    local = ZoneInfo(station.zone)
    for hour in hours_of(day, station.zone):
        yield f"{hour.astimezone(local):%H:%M %Z}", height(station.constituents, station.datum, hour)
"""

OLD_RENDER = """\
    lines = [f"{station.title}  {day:%a %d %b %Y}", "", "local   metres"]
    for clock, metres in rows(station, day):
        lines.append(f"{clock}   {metres:6.2f}")
    start = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(station.zone))
    for kind, moment, metres in extremes(station.constituents, station.datum, start):
        lines.append(f"{kind:<5} {moment:%H:%M}  {metres:.2f}")
"""

NEW_RENDER = """\
    local = ZoneInfo(station.zone)
    lines = [f"{station.title}  {day:%a %d %b %Y}", "", "local       metres"]
    for clock, metres in rows(station, day):
        lines.append(f"{clock:<10}  {metres:6.2f}")
    start, end = bounds(day, station.zone)
    hours = int((end - start).total_seconds() // 3600)
    for kind, moment, metres in extremes(station.constituents, station.datum, start, hours):
        lines.append(f"{kind:<5} {moment.astimezone(local):%H:%M %Z}  {metres:.2f}")
"""

TESTS = """\
from datetime import date

import pytest

from tidewatch import stations
from tidewatch.table import render, rows

BACK = date(2026, 10, 25)
FORWARD = date(2026, 3, 29)


@pytest.mark.parametrize(("day", "hours"), [(FORWARD, 23), (date(2026, 6, 1), 24), (BACK, 24)])
@pytest.mark.parametrize("slug", stations.all_slugs())
def test_a_day_has_as_many_rows_as_hours(slug, day, hours):
    assert len(list(rows(stations.load(slug), day))) == hours


def test_the_repeated_hour_is_there_twice():
    clocks = [clock for clock, _ in rows(stations.load("port-hallow"), BACK)]
    assert clocks[1:3] == ["01:00 BST", "01:00 GMT"]


def test_the_missing_hour_makes_no_high_water():
    assert render(stations.load("port-hallow"), FORWARD).count("high") == 2
"""

RUFF = "ruff check --quiet src tests"

FAILED = """\
..F..F..F.........                                                 [100%]
=================================== FAILURES ===================================
____ test_a_day_has_as_many_rows_as_hours[port-hallow-day2-24] _________________

slug = 'port-hallow', day = datetime.date(2026, 10, 25), hours = 24

>       assert len(list(rows(stations.load(slug), day))) == hours
E       AssertionError: assert 25 == 24

tests/test_clock_changes.py:15: AssertionError
=========================== short test summary info ============================
FAILED tests/test_clock_changes.py::test_a_day_has_as_many_rows_as_hours[gull-haven-day2-24]
FAILED tests/test_clock_changes.py::test_a_day_has_as_many_rows_as_hours[port-hallow-day2-24]
FAILED tests/test_clock_changes.py::test_a_day_has_as_many_rows_as_hours[skerry-point-day2-24]
3 failed, 15 passed in 1.31s"""

RIGHT_NIGHT = """\
00:00 BST     3.30
01:00 BST     2.44
01:00 GMT     1.78
02:00 GMT     1.41
03:00 GMT     1.40"""

GULL = """\
Gull Haven  Sun 25 Oct 2026

local       metres
00:00 +00     0.59
00:00 -01     0.73
01:00 -01     0.96
02:00 -01     1.21"""

DONE = """\
The night of 25 October now has its 25 hours, and 29 March its 23.

- `table.py`: `bounds()` is the only place that knows where a local day starts and ends; everything after it is UTC.
- `tests/test_clock_changes.py`: 11 tests. My first version expected 24 rows for 25 October, which was my own mistake \
and not the code's: the day has 25.
- Gull Haven, which you asked about in between: the Azores go back at 01:00 local, so it is **00:00** that repeats. \
The zone has no name there, only an offset (`+00`, `-01`). It is right, if not pretty.

```diff
-01:00     2.44
-02:00     1.41
+01:00 BST     2.44
+01:00 GMT     1.78
+02:00 GMT     1.41
```

18 tests pass. Not committed."""


def make_tasks(session: Session) -> None:
    session.discovered = ["TaskCreate", "TaskUpdate"]
    names = ["TaskCreate", "TaskUpdate"]
    result = [{"type": "tool_reference", "tool_name": name} for name in names]
    twin = {"matches": names, "query": "select:TaskCreate,TaskUpdate", "total_deferred_tools": 7}
    session.step(other("ToolSearch", {"query": "select:TaskCreate,TaskUpdate"}, result, twin, name="load tasks"))
    session.step(
        Say("Three pieces, in this order."),
        *(
            other(
                "TaskCreate",
                {"subject": subject, "description": subject, "activeForm": f"Working on: {subject}"},
                f"Task #{number} created successfully: {subject}",
                {"task": {"id": str(number), "subject": subject}},
                seconds=0.1,
            )
            for number, subject in enumerate(TASKS, 1)
        ),
        stream=True,
    )


def change_table(session: Session) -> None:
    session.step(hidden(258), edit("src/tidewatch/table.py", OLD_HOURS, NEW_HOURS, name="edit hours"))
    ident = session.call_of("edit hours")
    why = "src/tidewatch/table.py:17:36: F821 Undefined name `timezone`"
    session.attach(context.hook_blocking("PostToolUse:Edit", "PostToolUse", ident, RUFF, why), "hook complains")
    session.step(
        Think("The hook is right: I use timezone.utc and import only datetime and timedelta."),
        Say("The lint hook caught a missing import."),
        edit(
            "src/tidewatch/table.py",
            "from datetime import datetime, timedelta\n",
            "from datetime import datetime, timedelta, timezone\n",
            name="edit import",
        ),
    )
    session.attach(
        context.hook_success("PostToolUse:Edit", "PostToolUse", session.call_of("edit import"), RUFF, "", 118),
        "hook is content",
    )
    session.step(
        edit("src/tidewatch/table.py", OLD_ROWS, NEW_ROWS, name="edit rows"),
        edit("src/tidewatch/table.py", OLD_RENDER, NEW_RENDER, name="edit render"),
        stream=True,
    )
    events.queue(
        session, "also run it for Gull Haven afterwards, the Azores change at another hour", "queued gull haven"
    )


def prove_it(session: Session) -> None:
    session.step(hidden(221), write("tests/test_clock_changes.py", TESTS, name="write tests"))
    session.step(bash("python -m pytest -q", "Run the tests", FAILED, exit=1, seconds=1.9, name="tests fail"))
    session.step(
        Think("25 == 24: the day has 25 hours, so the expectation in my test is wrong, not the code."),
        Say("The code is right and my test is wrong: that day has 25 hours."),
        edit("tests/test_clock_changes.py", "(BACK, 24)]", "(BACK, 25)]", name="edit expectation"),
    )
    session.step(
        bash(
            "python -m pytest -q",
            "Run the tests again",
            "..................                                [100%]\n18 passed in 1.22s",
        ),
        bash(
            "python -m tidewatch.cli table port-hallow --date 2026-10-25 | sed -n 4,8p",
            "The night in question",
            RIGHT_NIGHT,
        ),
        bash("python -m tidewatch.cli table gull-haven --date 2026-10-25 | head -7", "Gull Haven, as asked", GULL),
        order=(1, 2, 0),
    )


def close_tasks(session: Session) -> None:
    session.step(
        *(
            other(
                "TaskUpdate",
                {"taskId": str(number), "status": "completed"},
                f"Updated task #{number} status",
                {
                    "success": True,
                    "taskId": str(number),
                    "updatedFields": ["status"],
                    "statusChange": {"from": "pending", "to": "completed"},
                },
                seconds=0.1,
            )
            for number in (1, 2, 3)
        )
    )
    session.answer(DONE, hidden(222), name="the fix is done")


def look_at_data(session: Session) -> None:
    """Reading in the data folder brings its own instructions along."""
    session.prompt("Are the constants of Gull Haven relative to Greenwich? The old ones were local.", wait=130)
    session.step(hidden(138), read("src/tidewatch/data/gull-haven.json", name="read gull haven"))
    text = session.files.files["/home/dev/tidewatch/src/tidewatch/data/CLAUDE.md"]
    session.attach(context.nested_memory("src/tidewatch/data/CLAUDE.md", text), "nested memory")
    session.attach(context.tokens_left(session.tokens_left()))
    session.answer(
        "The file itself does not say. The rules for that folder do: phases are *relative to Greenwich (g), not local "
        "(kappa)*. The values agree with that: an M2 phase of 60.12° puts high water at 16:54 on 25 October, and the "
        "harbour office's chart has it a few minutes before five."
    )
