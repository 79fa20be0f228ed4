"""A session that began with 2.0.60 and was taken up again with 2.1.220.

Its sub-agent is a file beside it; its compaction wrote the kept rows a second time, after the summary.
"""

from __future__ import annotations

from tests.demo.story.accounts import settle
from tests.demo.story.blocks import Record, Say, Think
from tests.demo.story.clock import Clock
from tests.demo.story.compaction import Compaction
from tests.demo.story.head import OLD_AGENT
from tests.demo.story.ids import hexed, uid
from tests.demo.story.old import OldSession
from tests.demo.story.tools import bash, edit, other, read
from tests.demo.story.transcript import Setting

TASK = "Which tides are the largest of 2026 at Gull Haven? Work it out with the package; answer with three dates."

LARGEST = "2026-09-28, 2026-09-29 and 2026-03-21, each with a range of about 1.7 m."

SUMMARY = """\
1. Primary Request and Intent:
   dev added Gull Haven and wanted to know its largest tides of 2026, then a line in the README.
2. Files and Code Sections:
   - src/tidewatch/data/gull-haven.json: new
3. Pending Tasks:
   - mention the station in the README
4. Current Work:
   The README was about to be changed."""


def helper(parent: OldSession, ident: str) -> OldSession:
    setting = Setting(parent.session, version="2.0.60", agent=ident)
    clock = Clock(parent.clock.now.isoformat().removesuffix("+00:00"))
    clock.wait(3)
    agent = OldSession("sibling/largest", f"agent-{ident}.jsonl", setting, clock, OLD_AGENT)
    agent.user(TASK, {}, "task", root={})
    agent.step(
        Say("I'll scan the year."),
        bash(
            "python tools/largest.py gull-haven --year 2026",
            "Scan the year",
            "2026-09-28 1.71\n2026-09-29 1.70\n2026-03-21 1.69",
        ),
    )
    agent.step(Say(LARGEST), name="report")
    settle(agent, parent)
    return agent


def build() -> list[OldSession]:
    ident = uid("session old sibling")
    setting = Setting(ident, version="2.0.60", slug="quiet-drifting-otter")
    session = OldSession("sibling", f"{ident}.jsonl", setting, Clock("2026-09-12T08:40:30.055"))
    session.prompt(
        "Gull Haven's constants have come. When are its largest tides this year?", name="sibling prompt", wait=0
    )
    agent_name = hexed("sibling helper", 8)
    agent = helper(session, agent_name)
    report = [{"type": "text", "text": LARGEST}]
    last, used = agent.last()
    twin: Record = {
        "status": "completed",
        "prompt": TASK,
        "agentId": agent_name,
        "content": report,
        "totalDurationMs": 7410,
    }
    twin |= {"totalTokens": used.context, "totalToolUseCount": 1, "usage": last.row(used, used.output)}
    task = {"description": "Largest tides", "prompt": TASK, "subagent_type": "general-purpose"}
    session.step(
        Think("A scan of a year; a helper can do it."),
        other("Task", task, report, twin, name="sibling task", seconds=8.0),
        name="sends helper",
    )
    session.answer(f"The largest at Gull Haven: {LARGEST}", name="sibling answer")
    resumed(session)
    settle(session)
    return [session, agent]


def resumed(session: OldSession) -> None:
    """Weeks later, with a newer client: the kept rows are written again under the same uuids."""
    session.setting.version = "2.1.220"
    session.clock.wait(40 * 24 * 3600)
    session.prompt(
        "Add the station to the README. (I set auto-compact to 1.5% to try it out.)", name="sibling resumed", wait=0
    )
    session.step(
        Say("The list of stations is near the top."), read("README.md", name="sibling read"), name="reads readme"
    )
    keep = ["sibling resumed", "reads readme.0", "sibling read", "sibling read result"]
    rows = {row["uuid"]: row for row in session.written if row.get("uuid")}
    work = Compaction(session, "sibling", "auto", SUMMARY, keep, 33.0)
    work.boundary()
    parent = work.summary()
    for uuid in work.kept:
        session.again({**rows[uuid], "parentUuid": parent})
        session.tip = parent = uuid
    work.done()
    session.step(
        edit(
            "README.md",
            "Stations: Port Hallow, Skerry Point, Gull Haven.",
            "Stations: Port Hallow, Skerry Point and, new, Gull Haven.",
            name="sibling edit",
        )
    )
    session.answer("The README names Gull Haven now.", name="sibling end")
