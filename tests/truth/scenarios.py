"""What the client is put through day by day. All that is said, read and written here is ours."""

from __future__ import annotations

import base64
import threading

from tests.inspector.agents.server import Call, Fail, Say
from tests.truth.cache_scenarios import BREAKING
from tests.truth.rare_scenarios import RARE
from tests.truth.stage import FILES, LINES, RULES, agent, bash, hook, picture, printed, read, scenario, simple
from tests.truth.terminal import CONTROL_U, ENTER, ESCAPE, UP
from tests.truth.visit import SONNET, Visit


def _plain(visit: Visit) -> None:
    visit.talk("When is high water today?", "And when is low water?")


def _resume(visit: Visit) -> None:
    session = visit.say("Read both tables at once.")
    visit.say("Which mark is the northern one?", "--resume", session)
    visit.say("Go on with the last table.", "--continue")
    visit.say("Try another way from here.", "--resume", session, "--fork-session")


def _compact(visit: Visit) -> None:
    session = visit.say("Read all of the tables first.")
    visit.say("Say which one is the longest.", "--resume", session)
    visit.say("/compact", "--resume", session)
    visit.say("Now read the northern one again.", "--resume", session)


def _pause(visit: Visit) -> None:
    session = visit.say("Note the height before lunch.")
    visit.pass_time(3)
    visit.say("Note it once more, soon after.", "--resume", session)
    visit.pass_time(45)
    visit.say("Note the height after lunch.", "--resume", session)


def _switch(visit: Visit) -> None:
    session = visit.say("Think about the spring tide.")
    visit.say("Let somebody else go on.", "--resume", session, model=SONNET)
    visit.say("Come back to the first one.", "--resume", session)


def _queue(visit: Visit) -> None:
    visit.talk("Measure slowly, please.", "Thank you for all of it.", meanwhile={1: "Measure the southern mark too."})


def _image(visit: Visit) -> None:
    (visit.home.work / "chart.png").write_bytes(picture())
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(picture()).decode()}
    words = {"type": "text", "text": "What does this chart show?"}
    visit.talk([{"type": "image", "source": source}, words], "Read the chart from the file.")


def _typed(visit: Visit) -> None:
    with visit.terminal() as opened:
        visit.ask(opened, "Read the tide table here.", 2)
        visit.ask(opened, "Thank you for the table.")
        visit.ask(opened, "/compact")
        visit.ask(opened, "What do you remember of it?")


def _interrupted(visit: Visit) -> None:
    with visit.terminal() as opened:
        visit.ask(opened, "Count all waves of the day.")
        opened.press(ESCAPE)
        visit.ask(opened, "Count only ten of them.", 2)
        visit.ask(opened, "Those were enough.")


def _rewound(visit: Visit) -> None:
    with visit.terminal() as opened:
        visit.ask(opened, "Name the first harbour.")
        visit.ask(opened, "Name the second harbour.")
        visit.ask(opened, "Name the third harbour.")
        opened.press(ESCAPE)
        opened.press(ESCAPE)
        opened.press(UP)
        opened.press(UP)
        opened.press(ENTER)
        opened.press(ENTER)
        opened.press(CONTROL_U)
        visit.ask(opened, "Name another harbour instead.")


def _typed_meanwhile(visit: Visit) -> None:
    with visit.terminal() as opened:
        visit.ask(opened, "Measure slowly in the evening.")
        visit.ask(opened, "Measure the pier as well.")
        visit.ask(opened, "Thank you, that is all.")


_ADDED = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "The gauge is new."}}
_BLOCKED = {"decision": "block", "reason": "The southern mark was left out."}
HOOKS = {
    "hooks": {
        **hook("UserPromptSubmit", printed(_ADDED)),
        **hook("PostToolUse", "echo 'Keep the log dry.' >&2; exit 2", "Read"),
        **hook("PreToolUse", "echo 'No such command here.' >&2; exit 2", "Bash"),
        **hook("Stop", f"test -f stopped || {{ touch stopped; {printed(_BLOCKED)}; }}"),
    }
}

_FILLING = [f"Read the long table once more, number {number}." for number in range(4)]


SCENARIOS = [
    scenario(
        "plain",
        _plain,
        {
            "When is high water today?": [Say("High water is at four minutes past noon.", "The table has it.")],
            "And when is low water?": [Say("Low water is at ten minutes past six.")],
        },
    ),
    scenario(
        "tools",
        simple("Put the tables in order, please."),
        {
            "Put the tables in order, please.": [
                Say("I read the tables first.", "Two files.", [read("tides.md"), read("marks/north.md")]),
                Say(
                    calls=[
                        Call("Edit", {"file_path": "{work}/tides.md", "old_string": "Low water", "new_string": "Ebb"}),
                        bash("cat marks/north.md; echo measured"),
                    ]
                ),
                Say("One is missing, one fails.", "", [read("missing.md"), bash("echo no tide >&2; exit 3")]),
                Say(calls=[Call("Write", {"file_path": "{work}/south.md", "content": "South mark: 3.9 metres\n"})]),
                Say(calls=[Call("Grep", {"pattern": "metres", "path": "{work}", "output_mode": "content"})]),
                Say("The tables are in order."),
            ]
        },
        exports=("full",),
    ),
    scenario(
        "resume",
        _resume,
        {
            "Read both tables at once.": [
                Say("Both at once.", "", [read("tides.md"), read("marks/north.md")]),
                Say("I have read both."),
            ],
            "Which mark is the northern one?": [Say("The one at 4.2 metres.")],
            "Go on with the last table.": [Say(calls=[bash("wc -l tides.md")]), Say("It has four lines.")],
            "Try another way from here.": [Say("Another way it is.")],
        },
    ),
    scenario(
        "retries",
        simple("Ask until somebody answers.", "Ask for more than one can say."),
        {
            "Ask until somebody answers.": [
                (
                    Fail(529, "Overloaded", retry_after=0.1),
                    Say("An answer that breaks off.", error_after=4),
                    Say("Somebody answered."),
                )
            ],
            "Ask for more than one can say.": [
                Say("The first half of a long", stop_reason="max_tokens"),
                Say("answer, and the second."),
            ],
        },
    ),
    scenario(
        "compact",
        _compact,
        {
            "Read all of the tables first.": [
                Say(calls=[read("tides.md"), read("marks/north.md"), read("long.md")]),
                Say("I have read all three."),
            ],
            "Say which one is the longest.": [Say("The long one.")],
            "Now read the northern one again.": [Say(calls=[read("marks/north.md")]), Say("It is still 4.2 metres.")],
        },
        files={**FILES, "long.md": LINES[:12_000]},
    ),
    scenario(
        "auto",
        simple(*_FILLING, "What is left of the long table?"),
        {
            **{prompt: [Say(calls=[bash("head -c 24000 long.md")]), Say("Read once more.")] for prompt in _FILLING},
            "What is left of the long table?": [Say("What the summary says of it.")],
        },
        files={**FILES, "long.md": LINES},
        density=2.2,
    ),
    scenario(
        "agents",
        simple("Let two helpers look at the marks.", "What did the helpers say?"),
        {
            "Let two helpers look at the marks.": [
                Say("Two helpers.", "", [agent("Look at the northern mark."), agent("Look at the tide table.")]),
                Say("Both helpers have answered."),
            ],
            "Look at the northern mark.": [Say(calls=[read("marks/north.md")]), Say("It stands at 4.2 metres.")],
            "Look at the tide table.": [
                Say("Two ways.", "", [read("tides.md"), bash("wc -l tides.md")]),
                Say("It has four lines."),
            ],
            "What did the helpers say?": [Say("One said metres, the other said lines.")],
        },
        agents=frozenset(("Look at the northern mark.", "Look at the tide table.")),
    ),
    scenario(
        "pause",
        _pause,
        {
            "Note the height before lunch.": [Say("It was 3.1 metres.")],
            "Note it once more, soon after.": [Say("It was 3.2 metres.")],
            "Note the height after lunch.": [Say("It was 4.0 metres.")],
        },
    ),
    scenario(
        "switch",
        _switch,
        {
            "Think about the spring tide.": [
                Say("It is high.", "The moon is full.", [read("tides.md")]),
                Say("It is very high.", "So it is."),
            ],
            "Let somebody else go on.": [Say("I went on.", "Another thought.")],
            "Come back to the first one.": [Say("Here I am again.")],
        },
    ),
    scenario(
        "memory",
        simple("Follow the rules of the marks.", "Which rules did you follow?"),
        {
            "Follow the rules of the marks.": [Say(calls=[read("marks/north.md")]), Say("I followed them.")],
            "Which rules did you follow?": [Say("Those of the marks.")],
        },
        files={
            **FILES,
            "CLAUDE.md": f"{RULES}\nSee @more.md for the rest.\n",
            "more.md": "Read the gauge twice.\n",
            "marks/CLAUDE.md": "# Marks\n\nThe northern mark is read first.\n",
        },
    ),
    scenario(
        "large",
        simple("Print the long table whole.", "Print many small ones at once."),
        {
            "Print the long table whole.": [
                Say(calls=[bash("cat long.md long.md"), read("long.md")]),
                Say(calls=[bash("head -c 3000 long.md")]),
                Say("That was long."),
            ],
            "Print many small ones at once.": [
                Say("Many.", "", [bash(f"echo table {number}") for number in range(22)]),
                Say("Those were many."),
            ],
        },
        exports=("budget",),
        files={**FILES, "long.md": LINES},
    ),
    scenario(
        "hooks",
        simple("Measure with the new gauge.", "Measure once more with it."),
        {
            "Measure with the new gauge.": [
                Say(calls=[read("tides.md"), bash("echo measured")]),
                Say("I measured."),
                Say("And the southern mark as well."),
            ],
            "Measure once more with it.": [Say("I measured once more.")],
        },
        settings=HOOKS,
    ),
    scenario(
        "queue",
        _queue,
        {
            "Measure slowly, please.": [
                Say(calls=[bash("sleep 2; echo slowly")]),
                Say("Slowly measured."),
                Say("And measured again."),
            ],
            "Measure the southern mark too.": [Say("The southern one, too."), Say("That is all of it.")],
            "Thank you for all of it.": [Say("You are welcome.")],
        },
    ),
    scenario(
        "image",
        _image,
        {
            "What does this chart show?": [Say("A red square.")],
            "Read the chart from the file.": [Say(calls=[read("chart.png")]), Say("Still a red square.")],
        },
    ),
    scenario(
        "typed",
        _typed,
        {
            "Read the tide table here.": [Say("I look.", "", [read("tides.md"), bash("ls")]), Say("I have read it.")],
            "Thank you for the table.": [Say("You are welcome to it.")],
            "What do you remember of it?": [Say("What the summary says.")],
        },
    ),
    scenario(
        "interrupted",
        _interrupted,
        {
            "Count all waves of the day.": [Say("One, two, three, and so on until the night.", hold=threading.Event())],
            "Count only ten of them.": [Say(calls=[bash("seq 10")]), Say("Ten waves.")],
            "Those were enough.": [Say("Ten it is.")],
        },
    ),
    scenario(
        "rewound",
        _rewound,
        {
            "Name the first harbour.": [Say("The old harbour.")],
            "Name the second harbour.": [Say("The new harbour.")],
            "Name the third harbour.": [Say("The inner harbour.")],
            "Name another harbour instead.": [Say("The outer harbour.")],
        },
    ),
    scenario(
        "typed-meanwhile",
        _typed_meanwhile,
        {
            "Measure slowly in the evening.": [Say(calls=[bash("sleep 12; echo slowly")]), Say("Slowly measured.")],
            "Measure the pier as well.": [Say("The pier, too."), Say("That is the pier.")],
            "Thank you, that is all.": [Say("Good night.")],
        },
    ),
    scenario(
        "plan",
        simple("Plan how to measure the tide.", "Do as it was planned.", arguments=("--permission-mode", "plan")),
        {
            "Plan how to measure the tide.": [Say(calls=[read("tides.md")]), Say("This is the plan: measure twice.")],
            "Do as it was planned.": [Say("Measured twice.")],
        },
    ),
    *RARE,
    *BREAKING,
]
