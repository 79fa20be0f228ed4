"""A session of 2.0.14, a year earlier: a sub-agent inside the main file, a compaction without a boundary."""

from __future__ import annotations

from tests.demo.story.accounts import settle
from tests.demo.story.blocks import Call, Outcome, Record, Say, Think
from tests.demo.story.clock import Clock
from tests.demo.story.head import OLD_AGENT
from tests.demo.story.ids import message_id, uid
from tests.demo.story.meter import Usage
from tests.demo.story.old import OldSession
from tests.demo.story.tools import bash, grep, other, read
from tests.demo.story.transcript import Setting
from tests.demo.story.workspace import HOME

TASK = "Look through src/ and list every function without a docstring. Answer with file and name, one a line."

FOUND = """\
src/tidewatch/table.py: rows
src/tidewatch/table.py: render
src/tidewatch/stations.py: load
src/tidewatch/stations.py: all_slugs
src/tidewatch/cli.py: main"""

TODOS = ["Find functions without a docstring", "Write the docstrings", "Run the tests"]

EDITS = [
    ("def rows(station, day):\n", 'def rows(station, day):\n    """Clock and height of every hour."""\n'),
    ("def render(station, day):\n", 'def render(station, day):\n    """The whole table as text."""\n'),
]

SUMMARY = """\
This session is being continued from a previous conversation that ran out of context. The conversation is summarized \
below:
Analysis:
dev asked for docstrings; a helper listed five functions; two in table.py are written.
Summary:
1. Primary Request and Intent:
   Docstrings for every public function.
2. Pending Tasks:
   - stations.py: load, all_slugs; cli.py: main
3. Current Work:
   table.py is finished.
Please continue the conversation from where we left it off without asking the user any further questions."""


def todo(done: int, name: str) -> Call:
    def rows(finished: int) -> list[Record]:
        state = ["completed"] * finished + ["in_progress"] + ["pending"] * 3
        return [
            {"content": text, "status": state[index], "activeForm": f"{text}..."} for index, text in enumerate(TODOS)
        ]

    output = (
        "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress."
    )
    return other(
        "TodoWrite",
        {"todos": rows(done)},
        output,
        {"oldTodos": rows(done - 1) if done else [], "newTodos": rows(done)},
        name=name,
    )


def sidechain(session: OldSession) -> None:
    """The helper's own rows: in the same file, with a root of their own and no agent id."""
    above, head = session.tip, session.head
    session.head = OLD_AGENT
    session.setting.inline = True
    session.user(TASK, {}, "sidechain root", root={})
    session.step(
        Say("Searching."),
        grep(
            r"^def ",
            "src/tidewatch/table.py:9:def hours_of(day, zone):\nsrc/tidewatch/table.py:19:def rows(station, day):",
        ),
    )
    session.step(Say(FOUND), name="sidechain report")
    session.setting.inline = False
    session.tip, session.head = above, head


def multi_edit(session: OldSession) -> Call:
    path = f"{HOME}/src/tidewatch/table.py"
    edits = [{"old_string": old, "new_string": new, "replace_all": False} for old, new in EDITS]
    before = session.files.files[path]
    for old, new in EDITS:
        _, hunks = session.files.edit(path, old, new)
    text = f'Applied 2 edits to {path}:\n1. Replaced "def rows" \n2. Replaced "def render"'
    twin = {
        "filePath": path,
        "edits": edits,
        "originalFileContents": before,
        "structuredPatch": hunks,
        "userModified": False,
    }
    return Call("MultiEdit", {"file_path": path, "edits": edits}, lambda _: Outcome(text, twin), "multi edit")


def ask_helper(session: OldSession) -> None:
    task = {"description": "List bare functions", "prompt": TASK, "subagent_type": "general-purpose"}
    report = [{"type": "text", "text": FOUND}]
    usage, total = session.blanks.open({}), session.blanks.open()
    twin: Record = {"content": report, "totalDurationMs": 9120, "totalTokens": total, "totalToolUseCount": 1}
    call = other("Task", task, report, twin | {"usage": usage, "wasInterrupted": False}, name="task", seconds=9.0)
    session.step(call, meanwhile=lambda: sidechain(session))
    last = session.asked[message_id("old/sidechain report")]

    def count(used: Usage) -> None:
        session.blanks.fill(usage, last.row(used, used.output))
        session.blanks.fill(total, used.context)

    last.listeners.append(count)


def build() -> OldSession:
    ident = uid("session old inline")
    session = OldSession("old", f"{ident}.jsonl", Setting(ident, version="2.0.14"), Clock("2025-10-14T17:20:03.910"))
    gone = uid("a leaf in a file that is gone")
    session.state({"type": "summary", "summary": "Tide heights for three harbours", "leafUuid": gone})
    title = {"type": "summary", "summary": "Docstrings for tidewatch", "leafUuid": uid("old/old end")}
    session.state(title, "old title")
    session.prompt("Give every public function a docstring, one line each.", name="old prompt", wait=0)
    session.step(
        Think("Let a helper list them first."),
        Say("A helper lists them first."),
        todo(0, "first todos"),
        name="old plan",
        growing=True,
    )
    ask_helper(session)
    session.step(
        Say("Five functions. Two of them are in table.py."),
        todo(1, "second todos"),
        read("src/tidewatch/table.py", name="old read"),
        growing=True,
    )
    session.step(multi_edit(session))
    session.user(SUMMARY, {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}, "old summary", root={})
    session.ledger.compactions += 1
    session.step(bash("python -m pytest -q", "Run the tests", "7 passed in 1.10s"))
    session.answer("Docstrings are in for `table.py`; `stations.py` and `cli.py` are next.", name="old end")
    settle(session)
    return session
