"""The second session: a survey before a release, done by sub-agents, one of which has one of its own and one fails."""

from __future__ import annotations

from tests.demo.story import events
from tests.demo.story.accounts import settle
from tests.demo.story.agents import Agent, absorbed, delivered, launch, nested, notice
from tests.demo.story.blocks import Record, Say, Think, hidden
from tests.demo.story.clock import Clock
from tests.demo.story.ids import tool_id, uid
from tests.demo.story.opening import opening
from tests.demo.story.session import Session
from tests.demo.story.tools import bash, edit, grep, read
from tests.demo.story.transcript import Setting
from tests.demo.story.workspace import Workspace

ASKED = """\
Two checks before 0.9, at the same time if you can: (1) are all constants what the harbour office printed in its 2026 \
sheet? (2) where in the code is a height printed, and is it always metres with two decimals?"""

STATUS = """\
This is the git status at the start of the conversation.

Current branch: neap-alerts

Status:
?? harbour-2026.txt

Recent commits:
b7d02e9 Alert on springs and neaps
3f9a1c2 Count hours, not clock faces"""

CONSTANTS_TASK = """\
Compare every amplitude and phase in src/tidewatch/data/*.json with harbour-2026.txt. Report each difference with \
station, constituent, ours and theirs. Have the hard-to-read table 4 typed out by a helper of yours."""

TABLE_TASK = """\
Type out table 4 (Skerry Point) of harbour-2026.txt as CSV: constituent, amplitude, phase. The scan is poor; say where \
you are unsure."""

HEIGHTS_TASK = "Find every place in src/ that prints a height and say with how many decimals. Read only, be thorough."

NOTE_TASK = "Draft a paragraph for the README on why Gull Haven shows offsets instead of zone names."

SHEET = """\
4. SKERRY POINT        H (m)     g (deg)
M2                     1.2274    301.15
S2                     0.4419    339.86
N2                     0.25O2    279.38
K2                     0.1263    336.77
K1                     0.1108    158.02
01                     0.0997     14.73"""

TYPED = """\
M2,1.2274,301.15
S2,0.4419,339.86
N2,0.2502,279.38
K2,0.1263,336.77
K1,0.1108,158.02
O1,0.0997,14.73

Unsure twice: the scan has a letter O in 0.25O2 and a digit 0 in O1."""

REPORT = """\
21 constituents compared, one difference:

- Port Hallow, P1: ours 0.0217 / 106.11, the sheet of 2026 says 0.0219 / 106.11.

Skerry Point agrees after the table was typed out; two characters of the scan are doubtful, both plausible."""

FOUND = """\
src/tidewatch/table.py:36:        lines.append(f"{clock:<10}  {metres:6.2f}")
src/tidewatch/table.py:40:        lines.append(f"{kind:<5} {moment.astimezone(local):%H:%M %Z}  {metres:.2f}")
src/tidewatch/cli.py:42:            print(f"{alert.day:%a %d %b}  {alert.kind:<6}  {alert.metres:.2f} m")
src/tidewatch/cli.py:48:    print(f"{kind} water at {moment:%H:%M} UTC, {metres:.2f} m")"""

HEIGHTS = (
    "Four places, all with two decimals: table.py lines 36 and 40, cli.py lines 42 and 48. Only cli.py prints the unit."
)

SUMMED_UP = """\
Both checks are back.

**Constants.** 21 compared, one differs: Port Hallow's P1 is 0.0217 here and **0.0219** in the 2026 sheet. Two \
characters \
of the scan are doubtful (Skerry Point N2 and O1), both read as we have them.

**Heights.** Four places, all two decimals. `table.py` leaves out the unit, `cli.py` prints it.

The third helper, which should have drafted the Gull Haven paragraph, failed: the API was overloaded. I can write that \
one myself."""


def constants_agent(main: Session, side: dict[str, bytes]) -> tuple[Agent, Agent]:
    outer = Agent(main, "constants", "general-purpose", "Check the constants", CONSTANTS_TASK)
    outer.begin()
    outer.step(
        hidden(140),
        Say("Three stations and a scan. Table 4 goes to a helper."),
        read("src/tidewatch/data/port-hallow.json"),
        read("src/tidewatch/data/gull-haven.json"),
        order=(1, 0),
    )
    inner = Agent(outer, "table four", "general-purpose", "Type out table 4", TABLE_TASK)
    inner.begin()
    inner.step(hidden(70), bash("sed -n '/^4/,/^5/p' harbour-2026.txt", "Print table 4", SHEET))
    inner.step(Say(TYPED), name="typed out")
    settle(inner, main)
    outer.step(Say("Now the poor scan."), nested(inner, TYPED, name="asks for table four"), name="nested call")
    path, card = inner.card(outer.call_of("asks for table four"))
    side[path] = card
    outer.step(
        hidden(210),
        bash(
            "python tools/compare.py harbour-2026.txt",
            "Compare",
            "port-hallow P1 0.0217 != 0.0219\n20 of 21 agree",
            exit=1,
            name="one differs",
        ),
    )
    outer.step(Say(REPORT), name="report")
    settle(outer, main)
    return outer, inner


def heights_agent(main: Session) -> Agent:
    agent = Agent(main, "heights", "Explore", "Find printed heights", HEIGHTS_TASK, "claude-haiku-5-5")
    agent.effort = "low"
    agent.begin()
    agent.step(Say("Searching for format strings."), grep(r"\.2f|metres", FOUND, name="finds four"))
    agent.step(Say(HEIGHTS), name="report")
    settle(agent, main)
    return agent


def failing_agent(main: Session) -> Agent:
    agent = Agent(main, "note", "general-purpose", "Draft the offset note", NOTE_TASK)
    agent.begin()
    agent.step(hidden(30), read("README.md"))
    for attempt in (1, 2, 3):
        events.api_retry(agent, attempt, 529, "overloaded_error", "Overloaded")
    events.api_failure(agent, "API Error: 529 Overloaded", 529, "overloaded_error", "gives up")
    settle(agent, main)
    return agent


def build() -> tuple[list[Session], dict[str, bytes]]:
    ident = uid("session survey")
    setting = Setting(ident, branch="neap-alerts")
    main = Session("survey", f"{ident}.jsonl", setting, Clock("2026-11-05T18:31:40.127"), finished_files())
    main.log = None
    main.mode = "bypassPermissions"
    side: dict[str, bytes] = {}
    main.prompt(ASKED, name="asked", wait=0)
    opening(main, "2026-11-05", STATUS)
    outer, inner = constants_agent(main, side)
    heights = heights_agent(main)
    failing = start_helpers(main, outer, heights)
    started: tuple[tuple[Agent, str, Record], ...] = (
        (outer, "start constants", {}),
        (heights, "start heights", {"model": "haiku"}),
        (failing, "start note", {}),
    )
    for agent, call, more in started:
        path, card = agent.card(main.call_of(call), finished=agent is not failing, more=more)
        side[path] = card
    reports(main, outer, heights, failing)
    second_turn(main)
    settle(main)
    return [main, outer, inner, heights, failing], side


def start_helpers(main: Session, outer: Agent, heights: Agent) -> Agent:
    """Two at once, then a third: the one that fails."""
    main.step(
        Think("Two independent checks: one helper each. The second only reads, so the small model will do."),
        Say("Two helpers, side by side."),
        launch(outer, name="start constants"),
        launch(heights, name="start heights", given={"model": "haiku"}),
        name="two at once",
        stream=True,
    )
    failing = failing_agent(main)
    main.step(
        Say("While they work, a third for the README."),
        launch(failing, name="start note", given={"run_in_background": True}),
        bash(
            "git log --oneline -2",
            "What is in the branch",
            "b7d02e9 Alert on springs and neaps\n3f9a1c2 Count hours, not clock faces",
        ),
        stream=True,
    )
    return failing


def reports(main: Session, outer: Agent, heights: Agent, failing: Agent) -> None:
    main.clock.wait(20)
    main.step(bash("sleep 20; ls harbour-2026.txt", "Wait a little", "harbour-2026.txt", seconds=20))
    main.clock.until(heights.clock)
    main.clock.until(failing.clock)
    absorbed(main, notice(heights, main.call_of("start heights"), "completed", HEIGHTS), "heights are back")
    absorbed(main, notice(failing, main.call_of("start note"), "failed", "API Error: 529 Overloaded"), "note failed")
    main.answer("The heights are fine. The helper for the README failed; the constants are still being compared.")
    main.clock.until(outer.clock)
    delivered(main, notice(outer, main.call_of("start constants"), "completed", REPORT), "constants are back")
    main.answer(SUMMED_UP, hidden(90), name="summed up")


def second_turn(main: Session) -> None:
    main.prompt(
        "Take over 0.0219 and print the unit in the table's heading, nothing else.", name="take it over", wait=150
    )
    collapse(main)
    main.step(
        hidden(40),
        edit("src/tidewatch/data/port-hallow.json", '["P1", 0.0217, 106.11]', '["P1", 0.0219, 106.11]', name="edit p1"),
        edit("src/tidewatch/table.py", '"local       metres"', '"local       metres (m)"', name="edit heading"),
        order=(1, 0),
    )
    main.step(
        bash(
            "python -m pytest -q",
            "Run the tests",
            "......................                            [100%]\n22 passed in 1.40s",
        )
    )
    main.answer(
        "Both are in, 22 tests pass. P1 moves the tide by 0.2 mm at most, so no table changes in its second decimal."
    )
    main.state({"type": "custom-title", "customTitle": "Survey before 0.9", "sessionId": main.session})
    events.cost_state(main)
    main.settle()


def collapse(main: Session) -> None:
    """The launching of the helpers is folded into one line of summary; the rows stay where they are."""
    commit = {
        "type": "marble-origami-commit",
        "sessionId": main.session,
        "collapseId": tool_id("collapse").removeprefix("toolu_"),
    }
    commit |= {"summaryUuid": uid("survey/collapse summary")}
    commit["summaryContent"] = (
        "Three helpers were started: constants, printed heights, README note. Heights came back clean, the note failed."
    )
    first, last = main.uuid("two at once.0"), main.uuid("note failed")
    main.state(commit | {"firstArchivedUuid": first, "lastArchivedUuid": last}, "collapse")
    spawned = main.blanks.open()
    main.here(lambda moment: main.blanks.fill(spawned, moment.prompt))
    snapshot = {"type": "marble-origami-snapshot", "sessionId": main.session, "staged": [], "armed": True}
    main.state(snapshot | {"lastSpawnTokens": spawned})


def finished_files() -> Workspace:
    """The project as the first session left it."""
    from tests.demo.story import long

    files = Workspace()
    files.files = dict(long.tell().files.files)
    return files
