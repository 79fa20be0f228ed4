"""Afternoon: spring and neap alerts, on another model, with an API that has a bad quarter of an hour."""

from __future__ import annotations

from tests.demo.story import context, events
from tests.demo.story.blocks import Say, Think, hidden
from tests.demo.story.session import Session
from tests.demo.story.tools import bash, edit, edit_misses, read, read_missing, write

COMMITTED = """\
[main 3f9a1c2] Count hours, not clock faces
 2 files changed, 45 insertions(+), 11 deletions(-)
 create mode 100644 tests/test_clock_changes.py"""

MODULE = '''\
"""Springs and neaps: the days on which the range of the tide is far from its mean."""

from dataclasses import dataclass
from datetime import date, timedelta

from tidewatch.harmonics import extremes
from tidewatch.table import bounds


@dataclass(frozen=True)
class Alert:
    kind: str
    day: date
    metres: float


def daily_range(station, day):
    start, end = bounds(day, station.zone)
    hours = int((end - start).total_seconds() // 3600)
    found = extremes(station.constituents, station.datum, start, hours)
    levels = [metres for _, _, metres in found]
    return max(levels) - min(levels)


def alerts(station, first, days=30, share=0.2):
    """Days whose range is `share` above (spring) or below (neap) the mean of the period."""
    ranges = {first + timedelta(days=n): daily_range(station, first + timedelta(days=n)) for n in range(days)}
    mean = sum(ranges.values()) / len(ranges)
    for day, metres in ranges.items():
        if metres >= mean * (1 + share):
            yield Alert("spring", day, metres)
        elif metres <= mean * (1 - share):
            yield Alert("neap", day, metres)
'''

OLD_CLI = """\
    args = parser.parse_args(argv)
    station = stations.load(args.station)
"""

NEW_CLI = """\
    warn = commands.add_parser("alerts", help="springs and neaps of the next days")
    warn.add_argument("station", choices=stations.all_slugs())
    warn.add_argument("--from", dest="first", type=date.fromisoformat, default=date.today())
    warn.add_argument("--days", type=int, default=30)
    warn.add_argument("--share", type=share, default=0.2)

    args = parser.parse_args(argv)
    station = stations.load(args.station)
    if args.command == "alerts":
        for alert in alerts(station, args.first, args.days, args.share):
            print(f"{alert.day:%a %d %b}  {alert.kind:<6}  {alert.metres:.2f} m")
        return 0
"""

SHARE = '''\
def share(text):
    """A share between 0 and 1: `20` would silently mean 2000%."""
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError("between 0 and 1, as in 0.2")
    return value


def main(argv=None):
'''

PRINTED = """\
Thu 05 Nov  spring  4.97 m
Fri 06 Nov  spring  5.26 m
Sat 07 Nov  spring  5.42 m
Sun 08 Nov  spring  5.38 m
Mon 09 Nov  spring  5.13 m
Thu 26 Nov  neap    2.79 m
Fri 27 Nov  neap    2.33 m
Sat 28 Nov  neap    2.08 m
Sun 29 Nov  neap    2.23 m
Mon 30 Nov  neap    2.78 m"""

ALERTED = """\
`tidewatch alerts` works:

```console
$ tidewatch alerts port-hallow --from 2026-11-03
Thu 05 Nov  spring  4.97 m
...
Mon 30 Nov  neap    2.78 m
```

- The threshold is a share of the mean range of the period, 20% unless `--share` says otherwise.
- `--share 20` is refused now; it would have meant 2000% and printed nothing.
- The ranges are those of *local* days, through `bounds()`, so the clock changes cannot make a false alert.

Tests are still missing. Next?"""


def commit(session: Session) -> None:
    session.prompt("Commit the fix, without refit.log.", name="commit it", wait=4 * 3600)
    opened(session, STATUS)
    session.step(
        hidden(48),
        bash(
            "git add src tests && git commit -qm 'Count hours, not clock faces' && git log -1 --stat | tail -4",
            "Commit",
            COMMITTED,
            name="commit",
        ),
    )
    session.answer("Committed as `3f9a1c2`: the table and its tests. `refit.log` stays outside.")


STATUS = """\
This is the git status at the start of the conversation.

Current branch: main

Status:
 M src/tidewatch/table.py
?? refit.log
?? tests/test_clock_changes.py"""


def opened(session: Session, status: str) -> None:
    """The first prompt after a compaction brings the instructions again."""
    text = session.files.files["/home/dev/tidewatch/CLAUDE.md"]
    session.attach(context.instructions(text))
    session.attach(context.session_context(status))
    session.attach(context.date("2026-11-03"))


def build_alerts(session: Session) -> None:
    session.setting.branch = "neap-alerts"
    events.switch_model(session, "sonnet", "claude-sonnet-5-5", "to sonnet")
    session.prompt(
        "Add alerts for springs and neaps: the days whose range is far from the mean, as a sub-command. I capped the "
        "context window at 110k in the settings, so keep the reading short.",
        name="alerts please",
        wait=30,
    )
    session.attach(context.model(session.model))
    session.step(
        Think(
            "Range of a local day needs bounds(); the mean over the period is the yardstick. "
            "Start with the command line as it is."
        ),
        Say(
            "The daily range follows from `extremes()` and `bounds()`. "
            "A look at the command line and at a module that may exist already."
        ),
        read("src/tidewatch/cli.py", name="read cli"),
        read_missing("src/tidewatch/alert.py", name="no such file"),
        name="plans alerts",
        order=(1, 0),
    )
    write_alerts(session)


def write_alerts(session: Session) -> None:
    session.step(hidden(304), write("src/tidewatch/alerts.py", MODULE, name="write alerts"))
    session.step(
        edit(
            "src/tidewatch/cli.py",
            "from tidewatch import __version__, stations\n",
            "from tidewatch import __version__, stations\nfrom tidewatch.alerts import alerts\n",
        ),
        edit_misses(
            "src/tidewatch/cli.py", "args = parser.parse_args()", "args = parser.parse_args(argv)", name="edit misses"
        ),
        edit("src/tidewatch/cli.py", OLD_CLI, NEW_CLI, name="edit cli"),
        stream=True,
    )
    session.step(hidden(67), edit("src/tidewatch/cli.py", "def main(argv=None):\n", SHARE, name="edit share"))
    session.step(
        bash("python -m tidewatch.cli alerts port-hallow --from 2026-11-03", "Try it", PRINTED, name="alerts printed")
    )
    session.answer(ALERTED, hidden(96), name="alerts work")


RULE = """\
---
name: metres-two-decimals
description: Heights are always metres with two decimals
metadata:
  type: feedback
---

Print every height as metres with exactly two decimals, in tables, alerts and prose.

**Why:** dev has asked for it three times; the harbour office prints the same.

**How to apply:** `f"{metres:.2f} m"`. Never centimetres, never one decimal.
"""

INDEX_LINE = "- [Metres, two decimals](metres-two-decimals.md) — every height, everywhere"


def remember(session: Session) -> None:
    """The person asks for something to be remembered: the agent writes a memory file by itself."""
    session.prompt(
        "remember that: metres with two decimals everywhere, I keep having to say it", name="remember", wait=65
    )
    folder = "/home/dev/.claude/projects/-home-dev-tidewatch/memory"
    stamped = RULE.replace(
        "  type: feedback\n",
        "  node_type: memory\n  type: feedback\n"
        f"  originSessionId: {session.session}\n  modified: {session.clock.stamp()}\n",
    )
    session.step(
        Say("I'll keep that."),
        write(f"{folder}/metres-two-decimals.md", RULE, stored=stamped, name="write memory"),
        bash(f"echo '{INDEX_LINE}' >> {folder}/MEMORY.md", "Add it to the index", ""),
        order=(0, 1),
    )
    session.answer("Saved as a rule for this project, with a line in the index.")
