"""Things that went another way: a run stopped by hand, one in the background, a rename that was taken back."""

from __future__ import annotations

from tests.demo.story import context, events
from tests.demo.story.agents import delivered
from tests.demo.story.blocks import Say, Think, hidden
from tests.demo.story.ids import task_id
from tests.demo.story.session import Session
from tests.demo.story.tides import year_report
from tests.demo.story.tools import background, bash, persisted
from tests.demo.story.transcript import SLUG

SLOW = """\
fitting 9 constituents x 8760 hours
pass 1  rms 0.0412
pass 2  rms 0.0398"""


def stopped_run(session: Session) -> None:
    session.prompt("Refit the constituents against last year's gauge, then tell me the rms.", wait=110)
    session.step(
        hidden(175),
        Say("This runs over 8,760 hours; it may take a while."),
        events.aborted(
            "python tools/refit.py port-hallow --year 2025", "Refit the constituents", SLOW, "stopped refit"
        ),
    )
    events.interrupted(session, "interrupted")
    session.prompt("Stopped it, that takes the whole laptop. Run it in the background instead and go on.", wait=12)
    task = task_id("refit")
    folder = f"/tmp/claude-1000/{SLUG}/{session.session}/tasks"
    session.step(
        background(
            "python tools/refit.py port-hallow --year 2025 > refit.log",
            "Refit in the background",
            task,
            folder,
            name="background refit",
        )
    )
    session.answer("It runs in the background now; I'll report when it is through.", settle=False)
    finished(session, task, folder)


def finished(session: Session, task: str, folder: str) -> None:
    """The background command is done: the client says so, not the person."""
    session.clock.wait(160)
    note = (
        f"<task-notification>\n<task-id>{task}</task-id>\n"
        f"<tool-use-id>{session.call_of('background refit')}</tool-use-id>\n"
        f"<output-file>{folder}/{task}.output</output-file>\n<status>completed</status>\n"
        '<summary>Background command "Refit in the background" completed (exit code 0)</summary>\n</task-notification>'
    )
    delivered(session, note, "task notification")
    session.step(bash("tail -2 refit.log", "Last lines of the log", "pass 7  rms 0.0391\ndone in 152 s"))
    session.answer(
        "The refit is through: rms **3.9 cm** after seven passes, against 4.1 cm before. Not worth new constants."
    )


STATUS = """\
 M src/tidewatch/table.py
?? refit.log
?? tests/test_clock_changes.py"""


def taken_back(session: Session) -> None:
    """A rename begins, and the person goes back to before it."""
    events.shell(session, "git status --short", STATUS, "shell line")
    session.settle()
    session.prompt("Rename the package to tidetable while we're at it.", name="rename", wait=35)
    session.step(
        hidden(414),
        Say("That touches every import. I'll look at what refers to the name."),
        bash("grep -rn tidewatch --include=*.py . | wc -l", "Count the references", "41", name="count references"),
    )
    session.answer(
        "41 places in 9 files, plus the entry point and the data package. I can do it in one commit, but everything "
        "that imports `tidewatch` breaks without a shim. Shall I?",
        name="rename is large",
    )


def after_the_rewind(session: Session) -> None:
    events.rewind(session, "shell line output")
    session.prompt(
        "Never mind renaming. Simulate every station for a year and show me the worst hours.", name="instead", wait=50
    )
    path = f"/home/dev/.claude/projects/{SLUG}/{session.session}/tool-results/{task_id('year report')}.txt"
    call = persisted(
        "python tools/simulate.py --all --year 2026", "Simulate a year", year_report(), path, name="year report"
    )
    session.step(hidden(138), call)
    ident = session.call_of("year report")
    kept = session.written[-1]["message"]["content"][0]["content"]
    replacement = {"kind": "tool_result", "toolUseId": ident, "replacement": kept}
    session.state(
        {"type": "content-replacement", "sessionId": session.session, "replacements": [replacement]},
        "content replacement",
    )
    session.step(
        Think("The whole is in a file; the summary is at its end."),
        bash(
            f"tail -4 {path}", "The end of the report", "\n".join(year_report().splitlines()[-4:]), name="end of report"
        ),
    )
    session.answer(
        "The report is too long to read here, so it went to a file. Its end says what matters: the largest residuals "
        "are in the nights of the two clock changes **before** the fix, and nowhere else. With the fix the worst hour "
        "of the year is 6 cm off, in a storm week in February.",
        name="year simulated",
    )


FONTS = """\
Fonts for the printed table, since you ask:

1. **Tabular figures** matter more than the face. Any font with `tnum` lines the metres up.
2. For a harbour wall, go up to 14 pt and leave 1.5 lines.
3. If it must be one name: *IBM Plex Mono*. If it may be two: *Source Sans* for names, *Plex Mono* for numbers.

None of this touches the program."""


def fonts(session: Session) -> None:
    """A turn that has nothing to do with the work, and is snipped afterwards."""
    start = len(session.written)
    session.prompt("Off topic: which font would you print the table in?", name="fonts", wait=75)
    session.answer(FONTS, hidden(236), name="fonts answer")
    gone = [row["uuid"] for row in session.written[start:] if row["type"] in ("user", "assistant")]
    session.prompt(
        "Nice, but forget that again. Back to tides: is the DST work ready to commit?", name="back to tides", wait=60
    )
    events.snip(session, gone, "snip")
    session.step(
        hidden(110),
        bash(
            "git diff --stat",
            "What has changed",
            " src/tidewatch/table.py | 32 +++++++++++++++++++++-----------\n"
            " 1 file changed, 21 insertions(+), 11 deletions(-)",
        ),
    )
    session.attach(context.tokens_left(session.tokens_left()))
    session.answer(
        "Yes: one file changed, one test file added, 18 tests pass, and `refit.log` should not go in.",
        name="ready to commit",
    )
