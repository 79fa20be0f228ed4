"""The third session, a fork of the long one after its first fix, and the small one that follows it after `/clear`."""

from __future__ import annotations

from dataclasses import replace

from tests.demo.story import evening, events, long
from tests.demo.story.accounts import settle
from tests.demo.story.blocks import Record, Say, Think, hidden
from tests.demo.story.clock import Clock
from tests.demo.story.compaction import manual
from tests.demo.story.ids import uid
from tests.demo.story.opening import opening
from tests.demo.story.session import CAVEAT, Session, command_text
from tests.demo.story.tools import bash, edit, read
from tests.demo.story.transcript import Setting
from tests.demo.story.workspace import Workspace

CHAIN = ("user", "assistant", "system", "attachment")

OTHERWISE = """\
Same starting point, other question: could `fold` have done it, without going through UTC? I want to see the \
difference \
before I merge."""

WITH_FOLD = '''\
    """Every full hour of a local day, in UTC."""
    hour, end = bounds(day, zone)
'''

FOLDED = '''\
    """Every full hour of a local day; an hour that repeats comes back with fold=1."""
    hour, end = bounds(day, zone)
'''

COMPARED = """\
It could, at a price:

| | through UTC | with `fold` |
|---|---|---|
| rows on 25 October | 25 | 25 |
| rows on 29 March | 23 | 23, after a second special case |
| places that know about clock changes | 1 (`bounds`) | 3 |

`fold` marks *which* of two equal clock readings is meant; it does not make the arithmetic right. One would still \
have to \
notice that an hour repeats, and that another does not exist. I'd keep UTC."""

SUMMARY = """\
1. Primary Request and Intent:
   dev wanted to see whether `fold` could replace the way through UTC before merging the clock-change fix.
2. Key Technical Concepts:
   - PEP 495 `fold`; repeated and missing local hours
3. Files and Code Sections:
   - src/tidewatch/table.py: `hours_of()`; only its docstring was tried out and put back
4. Errors and fixes:
   - none
5. Problem Solving:
   Both ways give 25 and 23 rows; `fold` needs three special cases, UTC one.
6. All user messages:
   - "Same starting point, other question: could `fold` have done it [...]"
7. Pending Tasks:
   - none
8. Current Work:
   The comparison is written.
9. Optional Next Step:
   Put the docstring back."""


def copies(origin: Session, session: Session) -> None:
    """The rows of the conversation, with another session id and nothing else changed; state stays behind."""
    names = {place.uuid: name for name, place in origin.places.items() if place.uuid}
    for row in origin.records():
        if row["type"] not in CHAIN:
            continue
        copy: Record = {**row, "sessionId": session.session}
        if "session_id" in copy:
            copy["session_id"] = session.session
        session.again(copy, names.get(row["uuid"]))
        session.tip = row["uuid"]
    ledger = session.ledger
    ledger.copied = replace(origin.ledger.own)
    ledger.prompts = origin.ledger.prompts
    ledger.tool_calls = origin.ledger.tool_calls
    ledger.tool_errors = origin.ledger.tool_errors
    session.prompts = origin.prompts
    session.messages = origin.messages
    session.used = list(origin.used)


def build() -> list[Session]:
    origin = long.start()
    long.morning(origin)
    settle(origin)
    ident = uid("session fork")
    setting = Setting(ident, entrypoint="claude-desktop", slug=origin.setting.slug, twice=True)
    session = Session("fork", f"{ident}.jsonl", setting, Clock("2026-11-04T20:14:05.300"), origin.files)
    session.log = None
    copies(origin, session)
    compare(session)
    compact(session)
    follower = cleared(session)
    end = {"type": "continued-in", "timestamp": session.clock.stamp(), "sessionId": ident}
    session.state(end | {"continuedInSessionId": follower.session}, "continued in")
    settle(session)
    settle(follower)
    return [session, follower]


def compare(session: Session) -> None:
    session.prompt(OTHERWISE, name="fork prompt", wait=4)
    session.step(
        Think("fold only names the second of two equal readings. Try it where the hours are made."),
        Say("I'll try it where the hours are made."),
        edit("src/tidewatch/table.py", WITH_FOLD, FOLDED, name="fork edit"),
        read("src/tidewatch/table.py", 1, 30),
        order=(0, 1),
        growing=True,
    )
    session.step(
        hidden(170),
        bash(
            "python -m pytest -q tests/test_clock_changes.py",
            "Run the tests",
            "...........                                       [100%]\n11 passed in 0.71s",
        ),
    )
    session.answer(COMPARED, hidden(230), name="fork answer", settle=False)


def compact(session: Session) -> None:
    manual(
        session,
        "fork manual",
        "only the comparison",
        SUMMARY,
        ["fork answer.0", "fork answer.1"],
        ["src/tidewatch/table.py"],
        on_tail=True,
    )
    session.prompt("Put the docstring back.", name="fork after", wait=45)
    session.step(hidden(25), edit("src/tidewatch/table.py", FOLDED, WITH_FOLD, name="fork edit back"))
    session.answer("Put back; `table.py` is as it was.", name="fork end")


STATUS = """\
This is the git status at the start of the conversation.

Current branch: main

Status:
(clean)"""


def cleared(before: Session) -> Session:
    """`/clear` starts a new file: its first rows are the command itself."""
    ident = uid("session cleared")
    clock = Clock(before.clock.now.isoformat().removesuffix("+00:00"))
    clock.wait(20)
    session = Session("cleared", f"{ident}.jsonl", Setting(ident, entrypoint="claude-desktop"), clock, Workspace())
    session.user(CAVEAT, {"isMeta": True}, root={})
    session.user(command_text("clear", ""), name="clear command")
    session.prompt("What does `tidewatch next` print at midnight of a clock change?", name="cleared prompt", wait=30)
    opening(session, "2026-11-04", STATUS)
    session.step(hidden(50), read("src/tidewatch/cli.py"))
    session.answer(
        "Always UTC: `next` never converts, so a clock change cannot touch it. The line says `UTC` itself.",
        name="cleared answer",
    )
    evening.go_on(session)
    events.cost_state(session)
    return session
