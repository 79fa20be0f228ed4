"""Morning, part one: why does the day on which the clocks go back have a hole in it?"""

from __future__ import annotations

from tests.demo.story import context
from tests.demo.story.blocks import Say, Think, hidden
from tests.demo.story.opening import opening
from tests.demo.story.pictures import tide_chart
from tests.demo.story.session import Session
from tests.demo.story.tools import bash, glob, grep, other, read

FIRST = """\
The table for Port Hallow on 25 October is wrong: 01:00 stands there once, although the clocks go back that night, and \
between 01:00 and 02:00 the water falls a whole metre. Find out why. Don't fix anything yet."""

TREE = """\
src/tidewatch:
__init__.py
cli.py
data
harmonics.py
stations.py
table.py

src/tidewatch/data:
CLAUDE.md
gull-haven.json
port-hallow.json
skerry-point.json

tests:
test_harmonics.py
test_table.py"""

GREPPED = """\
src/tidewatch/table.py:4:from zoneinfo import ZoneInfo
src/tidewatch/table.py:11:    start = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone))
src/tidewatch/table.py:29:    start = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(station.zone))
src/tidewatch/harmonics.py:5:from datetime import datetime, timedelta, timezone
src/tidewatch/harmonics.py:7:EPOCH = datetime(2000, 1, 1, tzinfo=timezone.utc)
src/tidewatch/cli.py:4:from datetime import date, datetime, timezone
src/tidewatch/cli.py:30:    kind, moment, metres = extremes(station.constituents, station.datum, \
datetime.now(timezone.utc))[0]"""

WRONG_DAY = """\
Port Hallow  Sun 25 Oct 2026

local   metres
00:00     3.30
01:00     2.44
02:00     1.41
03:00     1.40
04:00     1.81
05:00     2.60
06:00     3.61
07:00     4.52
08:00     5.03
09:00     4.98
10:00     4.43
11:00     3.59
12:00     2.72
13:00     2.01
14:00     1.55
15:00     1.42
16:00     1.66
17:00     2.29
18:00     3.18
19:00     4.09
20:00     4.72
21:00     4.86
22:00     4.49
23:00     3.77
low   02:30  1.36
high  08:24  5.08
low   14:54  1.42
high  20:48  4.88"""

CRASH = """\
Traceback (most recent call last):
  File "<string>", line 5, in <module>
    print(list(hours_of(date(2026, 10, 25), station.zone))[24])
          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~^^^^
IndexError: list index out of range"""

FINDING = """\
Found it: **the table counts wall-clock hours, not hours**.

`hours_of()` adds `timedelta(hours=1)` to an *aware local* datetime. Python does that arithmetic on the clock face and \
ignores the zone, so the step from 01:00 to 02:00 on 25 October is really two hours long:

```python
hour = start                      # 2026-10-25 00:00 +01:00
while hour < end:                 # end is 24 clock hours later, not 25 real ones
    yield hour
    hour += timedelta(hours=1)    # 01:00 BST -> 02:00 GMT, two hours in one step
```

| day | hours it has | rows we print | effect |
|---|---|---|---|
| 25 October 2026 | 25 | 24 | 01:00 GMT is missing, the water "falls" 1.03 m |
| 1 June 2026 | 24 | 24 | none |
| 29 March 2026 | 23 | 24 | 01:00 does not exist but is printed, plus a false high water at 01:54 |

So it is two bugs with one cause:

1. `hours_of()` makes the wrong hours.
2. `render()` starts `extremes()` from a local time and samples it the same way, which is where the false high water \
of 29 March comes from.

`harmonics.py` is fine: it converts to UTC before it computes. Nothing is changed yet."""


def open_session(session: Session) -> None:
    session.prompt(FIRST, name="first prompt", wait=0)
    opening(session, "2026-11-03", STATUS)


STATUS = """\
This is the git status at the start of the conversation.

Current branch: main

Status:
(clean)

Recent commits:
9d41c7e Gull Haven: constants from the harbour office
52b8f10 next: print the height as well
c0ffee5 Node factors once a day"""


def look_around(session: Session) -> None:
    session.step(
        Think(
            "The symptom smells of daylight saving: one row too few and a jump of exactly two hours' worth of ebb. "
            "Look at how the rows are made before guessing: table.py, then who touches time zones at all."
        ),
        Say("I'll read how the rows are made, and list what else touches time."),
        bash("ls -R src tests", "List the files", TREE, name="list files"),
        read("src/tidewatch/table.py", name="read table"),
        glob("**/test_*.py", ["tests/test_harmonics.py", "tests/test_table.py"], name="find tests"),
        name="look around",
        order=(1, 0, 2),
    )
    session.step(
        hidden(294),
        grep("ZoneInfo|timezone", GREPPED, name="who knows zones"),
        read("src/tidewatch/harmonics.py", name="read harmonics"),
        order=(1, 0),
    )


def try_it(session: Session) -> None:
    session.step(
        Say("The tests first, to see whether they notice."),
        bash(
            "python -m pytest -q",
            "Run the tests",
            ".......                                            [100%]\n7 passed in 1.08s",
        ),
    )
    session.step(
        bash(
            "python -m tidewatch.cli table port-hallow --date 2026-10-25",
            "Print the day in question",
            WRONG_DAY,
            name="wrong day",
        )
    )
    session.step(
        hidden(377),
        bash(
            'python -c "\nfrom datetime import date\nfrom tidewatch import stations\n'
            "from tidewatch.table import hours_of\n"
            "station = stations.load('port-hallow')\nprint(list(hours_of(date(2026, 10, 25), station.zone))[24])\"",
            "Ask for the 25th hour",
            CRASH,
            exit=1,
            name="no 25th hour",
        ),
    )
    session.answer(FINDING, hidden(329), name="the finding")


PASTED = """\
That fits. Here is the harbour office's own chart of that night: they print both 01:00s. I want what they have."""

SEEN = """\
The chart has the curve without the gap, and two ticks between 00:00 and 02:00. That is the same picture that we get \
when the hours are counted in UTC. One thing is a matter of taste, so I'd rather ask than choose."""

QUESTION = {
    "question": "How should the table tell the two 01:00 rows apart?",
    "header": "Repeated hour",
    "options": [
        {"label": "Zone names", "description": "01:00 BST and 01:00 GMT, on every row of every day"},
        {"label": "A and B", "description": "01:00A and 01:00B, only where an hour repeats"},
        {"label": "UTC column", "description": "A second column with the time in UTC"},
    ],
    "multiSelect": False,
}


def pasted_chart(session: Session) -> None:
    session.prompt(PASTED, name="pasted chart", image=tide_chart(25), wait=95)
    answers = {QUESTION["question"]: "Zone names"}
    question = QUESTION["question"]
    text = (
        f'Your questions have been answered: "{question}"="Zone names". '
        "You can now continue with these answers in mind."
    )
    session.step(
        Think("Both ticks are there and the curve is smooth. Zone names, letters or a UTC column: ask."),
        Say(SEEN),
        other(
            "AskUserQuestion",
            {"questions": [QUESTION]},
            text,
            {"questions": [QUESTION], "answers": answers, "annotations": {}},
            name="repeated hour",
            seconds=31.0,
        ),
        growing=True,
    )
    session.answer(
        "Zone names, then. Every row says which clock it is on, so nobody has to know the rule:\n\n"
        "```\n01:00 BST     2.44\n01:00 GMT     1.78\n02:00 GMT     1.41\n```\n\n"
        "Say the word and I'll plan the change."
    )


def plan(session: Session) -> None:
    session.mode = "plan"
    session.prompt(
        "Plan it. UTC inside, local time only where text is made. Both clock changes need a test.",
        name="plan it",
        wait=70,
    )
    path = "/home/dev/.claude/plans/patient-rowing-heron.md"
    session.setting.slug = "patient-rowing-heron"
    what = {"type": "plan_mode", "reminderType": "full", "isSubAgent": False, "planFilePath": path, "planExists": False}
    session.attach((what, context.rendered(f"Plan mode is active. Do not edit yet; write the plan to {path}.")))
    session.step(hidden(414), read("tests/test_table.py"), read("src/tidewatch/cli.py"), order=(0, 1))
    saved = f"Your plan has been saved to: {path}\n\n## Approved Plan:\n{PLAN}"
    approved = f"User has approved your plan. You can now start coding.\n\n{saved}"
    session.step(
        hidden(344),
        other(
            "ExitPlanMode",
            {"plan": PLAN},
            approved,
            {"plan": PLAN, "isAgent": False, "filePath": path},
            name="the plan",
            seconds=44.0,
        ),
    )
    session.mode = "acceptEdits"
    session.attach(
        (
            {"type": "plan_mode_exit", "planFilePath": path, "planExists": True},
            context.rendered("You have left plan mode."),
        )
    )
    session.state({"type": "permission-mode", "permissionMode": session.mode, "sessionId": session.session})


PLAN = """\
# Count hours, not clock faces

1. `table.py`: a function `bounds(day, zone)` gives start and end of a local day **in UTC**; it is the only place that \
knows about midnight.
2. `hours_of()` walks from one to the other in UTC. `rows()` turns each hour into text with its zone name.
3. `render()` gives `extremes()` the same start and the real number of hours (23, 24 or 25).
4. `tests/test_clock_changes.py`: 25 rows on 25 October, 23 on 29 March, both 01:00s present, no false high water.

Not touched: `harmonics.py`, the JSON interface of the stations, the output of `next`."""
