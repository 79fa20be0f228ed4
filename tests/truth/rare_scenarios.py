"""What the client is put through and what happens more rarely: work in the background, documents, errors of the API,
results out of order, old results that are cleared. All of it is ours."""

from __future__ import annotations

import base64

from tests.inspector.agents.server import Call, Fail, Say
from tests.truth.stage import FILES, LINES, agent, bash, hook, paper, picture, read, scenario, simple
from tests.truth.visit import Visit
from tests.truth.wire import Json

SLOWLY = hook("PreToolUse", "grep -q north && sleep 2; exit 0", "Read")
_FILLING = [f"Read three more pages, part {number}." for number in range(5)]


def _later(command: str) -> Call:
    return Call("Bash", {"command": command, "description": "Measure for a while", "run_in_background": True})


def _later_agent(prompt: str) -> Call:
    call = agent(prompt)
    return Call(call.name, {**call.input, "run_in_background": True})


def _part(kind: str, media: str, data: bytes) -> Json:
    source = {"type": "base64", "media_type": media, "data": base64.b64encode(data).decode()}
    return {"type": kind, "source": source}


def _words(text: str) -> Json:
    return {"type": "text", "text": text}


def _background(visit: Visit) -> None:
    session = visit.talk("Measure in the background, please.", "Let a helper look as well.", "Wait for the helper.")
    visit.say("What came of the background?", "--resume", session)


def _typed_background(visit: Visit) -> None:
    with visit.terminal() as opened:
        visit.ask(opened, "Measure in the background, please.", 3)
        visit.ask(opened, "Let a helper look as well.", 2)
        visit.ask(opened, "Wait for the helper.", 2)
        visit.ask(opened, "What came of the background?")


def _typed_agents(visit: Visit) -> None:
    with visit.terminal() as opened:
        visit.ask(opened, "Let two helpers look at once.", 6)
        visit.ask(opened, "Which of them was the first?")
        visit.ask(opened, "Measure it yourself now.", 2)
        visit.ask(opened, "Was it the same height?")


def _documents(visit: Visit) -> None:
    (visit.home.work / "paper.pdf").write_bytes(paper())
    session = visit.talk(
        [_part("document", "application/pdf", paper()), _words("What does this paper show?")],
        [_part("image", "image/png", picture()), _words("And what is on this chart?")],
        "Read the paper from the file.",
        "Which of them is the newest?",
    )
    visit.say("What was on the chart again?", "--resume", session)


def _mixed(visit: Visit) -> None:
    session = visit.talk(
        "Read three pages at once.",
        "Talk while you measure.",
        [_part("image", "image/png", picture()), _words("And what is on this chart?")],
        [_part("document", "application/pdf", paper()), _words("What does this paper show?")],
        "Let two helpers look at once.",
        "Measure in the background, please.",
        "Ask the broken gauge.",
        "Which of them is the newest?",
    )
    visit.say("What was on the chart again?", "--resume", session)


def _typed_mixed(visit: Visit) -> None:
    with visit.terminal() as opened:
        visit.ask(opened, "Let two helpers look at once.", 6)
        visit.ask(opened, "Measure in the background, please.", 3)
        visit.ask(opened, "Measure it yourself now.", 2)
        visit.ask(opened, "Which of them is the newest?")
        visit.ask(opened, "/compact")
        visit.ask(opened, "Was it the same height?")


def _idle(visit: Visit) -> None:
    session = visit.talk("Leave it running by itself.", "Has it ended by now?", pause=6)
    visit.say("And what did it say?", "--resume", session)


def _errors(visit: Visit) -> None:
    session = visit.talk("Ask the broken gauge.", "Ask the other gauge.", "Ask it once more.")
    visit.say("Ask both of the gauges.", "--resume", session)


def _parallel(visit: Visit) -> None:
    session = visit.talk("Read three pages at once.", "Which page was the longest?")
    visit.say("And which was the shortest?", "--resume", session)


def _interleaved(visit: Visit) -> None:
    session = visit.talk("Talk while you measure.", "What did you measure?")
    visit.say("Say it once more.", "--resume", session)


def _cleared(visit: Visit) -> None:
    session = visit.talk(*_FILLING)
    visit.say("What is left of the pages?", "--resume", session)


_HELPERS = {
    "Let two helpers look at once.": [
        Say("Two helpers.", "", [agent("Look at the northern mark."), agent("Look at the tide table.")]),
        Say("Both helpers have answered."),
    ],
    "Look at the northern mark.": [Say(calls=[read("marks/north.md")]), Say("It stands at 4.2 metres.")],
    "Look at the tide table.": [Say(calls=[bash("sleep 2; wc -l tides.md")]), Say("It has four lines.")],
}
_ON_THE_SIDE = {
    "Measure in the background, please.": [
        Say(calls=[_later("sleep 1; echo low water")]),
        Say(calls=[bash("sleep 3; echo waited")]),
        Say("It was low water."),
    ]
}
_AT_ONCE = {
    "Read three pages at once.": [
        Say("Three.", "", [read("marks/north.md"), read("tides.md"), read("CLAUDE.md")]),
        Say(calls=[read("tides.md"), read("marks/north.md")]),
        Say("I have read three."),
    ]
}
_BETWEEN = {
    "Talk while you measure.": [
        Say(
            blocks=[
                _words("First the table."),
                {"type": "tool_use", "id": "toolu_01table", "name": "Bash", "input": {"command": "wc tides.md"}},
                _words("Then the marks."),
                {"type": "tool_use", "id": "toolu_01marks", "name": "Bash", "input": {"command": "ls marks"}},
                _words("And that is all."),
            ]
        ),
        Say("Both are measured."),
    ]
}
_SHOWN = {
    "What does this paper show?": [Say("A page without words.")],
    "And what is on this chart?": [Say(calls=[bash("wc -c paper.pdf")]), Say("A red square.")],
    "Which of them is the newest?": [Say("The chart.")],
    "What was on the chart again?": [Say(calls=[read("tides.md")]), Say("The red square.")],
}
_BROKEN = {"Ask the broken gauge.": [Fail(400, "The gauge is broken.")]}
_HELP = frozenset(("Look at the northern mark.", "Look at the tide table."))

RARE = [
    scenario(
        "mixed",
        _mixed,
        {**_AT_ONCE, **_BETWEEN, **_SHOWN, **_HELPERS, **_ON_THE_SIDE, **_BROKEN},
        agents=_HELP,
        settings={"hooks": SLOWLY},
    ),
    scenario(
        "typed-mixed",
        _typed_mixed,
        {
            **_HELPERS,
            **_ON_THE_SIDE,
            "Measure it yourself now.": [Say(calls=[bash("sleep 3; echo 4.2"), read("tides.md")]), Say("4.2 metres.")],
            "Which of them is the newest?": [Say("The chart.")],
            "Was it the same height?": [Say("It was.")],
        },
        agents=_HELP,
    ),
    scenario(
        "background",
        _background,
        {
            "Measure in the background, please.": [
                Say(calls=[_later("sleep 1; echo low water")]),
                Say(calls=[bash("sleep 3; echo waited")]),
                Say("It was low water."),
            ],
            "Let a helper look as well.": [
                Say(calls=[_later_agent("Look at the southern mark.")]),
                Say("A helper looks."),
            ],
            "Look at the southern mark.": [Say(calls=[bash("sleep 1; echo 3.9")]), Say("It stands at 3.9 metres.")],
            "Wait for the helper.": [Say(calls=[bash("sleep 4; echo waited")]), Say("The helper is back.")],
            "What came of the background?": [Say("Low water, and 3.9 metres.")],
        },
        agents=frozenset(("Look at the southern mark.",)),
    ),
    scenario(
        "idle",
        _idle,
        {
            "Leave it running by itself.": [Say(calls=[_later("sleep 2; echo low water")]), Say("It runs.")],
            "Has it ended by now?": [Say("It has.")],
            "And what did it say?": [Say("Low water.")],
        },
    ),
    scenario(
        "typed-background",
        _typed_background,
        {
            "Measure in the background, please.": [
                Say(calls=[_later("sleep 1; echo low water")]),
                Say(calls=[bash("sleep 3; echo waited")]),
                Say("It was low water."),
            ],
            "Let a helper look as well.": [
                Say(calls=[_later_agent("Look at the southern mark.")]),
                Say("A helper looks."),
            ],
            "Look at the southern mark.": [Say(calls=[bash("sleep 1; echo 3.9")]), Say("It stands at 3.9 metres.")],
            "Wait for the helper.": [Say(calls=[bash("sleep 4; echo waited")]), Say("The helper is back.")],
            "What came of the background?": [Say("Low water, and 3.9 metres.")],
        },
        agents=frozenset(("Look at the southern mark.",)),
    ),
    scenario(
        "typed-agents",
        _typed_agents,
        {
            "Let two helpers look at once.": [
                Say("Two helpers.", "", [agent("Look at the northern mark."), agent("Look at the tide table.")]),
                Say("Both helpers have answered."),
            ],
            "Look at the northern mark.": [Say(calls=[read("marks/north.md")]), Say("It stands at 4.2 metres.")],
            "Look at the tide table.": [Say(calls=[bash("sleep 2; wc -l tides.md")]), Say("It has four lines.")],
            "Which of them was the first?": [Say("The one with the mark.")],
            "Measure it yourself now.": [Say(calls=[bash("sleep 3; echo 4.2"), read("tides.md")]), Say("4.2 metres.")],
            "Was it the same height?": [Say("It was.")],
        },
        agents=frozenset(("Look at the northern mark.", "Look at the tide table.")),
    ),
    scenario(
        "documents",
        _documents,
        {
            "What does this paper show?": [Say("A page without words.")],
            "And what is on this chart?": [Say(calls=[bash("wc -c paper.pdf")]), Say("A red square.")],
            "Read the paper from the file.": [Say(calls=[read("paper.pdf")]), Say("Still without words.")],
            "Which of them is the newest?": [Say("The chart.")],
            "What was on the chart again?": [Say("The red square.")],
        },
    ),
    scenario(
        "errors",
        _errors,
        {
            "Ask the broken gauge.": [Fail(400, "The gauge is broken.")],
            "Ask the other gauge.": [Say("It says 4.2 metres.")],
            "Ask it once more.": [Say(calls=[read("tides.md")]), Say("Still 4.2 metres.")],
            "Ask both of the gauges.": [Say("One says nothing.")],
        },
    ),
    scenario(
        "parallel",
        _parallel,
        {
            "Read three pages at once.": [
                Say("Three.", "", [read("marks/north.md"), read("tides.md"), read("CLAUDE.md")]),
                Say(calls=[read("tides.md"), read("marks/north.md")]),
                Say("I have read three."),
            ],
            "Which page was the longest?": [Say("The table.")],
            "And which was the shortest?": [Say("That of the mark.")],
        },
        settings={"hooks": SLOWLY},
    ),
    scenario(
        "interleaved",
        _interleaved,
        {
            "Talk while you measure.": [
                Say(
                    blocks=[
                        _words("First the table."),
                        {
                            "type": "tool_use",
                            "id": "toolu_01table",
                            "name": "Bash",
                            "input": {"command": "wc tides.md"},
                        },
                        _words("Then the marks."),
                        {"type": "tool_use", "id": "toolu_01marks", "name": "Bash", "input": {"command": "ls marks"}},
                        _words("And that is all."),
                    ]
                ),
                Say("Both are measured."),
            ],
            "What did you measure?": [Say("The table and the marks.")],
            "Say it once more.": [Say("The table and the marks, once more.")],
        },
    ),
    scenario(
        "cleared",
        _cleared,
        {
            **{
                prompt: [
                    Say(calls=[bash(f"head -c {24_000 + 500 * number} long.md") for number in range(3)]),
                    Say("Three more pages."),
                ]
                for prompt in _FILLING
            },
            "What is left of the pages?": [Say("The last of them.")],
        },
        files={**FILES, "long.md": LINES},
        density=0.6,
    ),
    scenario(
        "agent-auto",
        simple("Let a helper read everything.", "What is left of that?"),
        {
            "Let a helper read everything.": [Say(calls=[agent("Read the long table part by part.")]), Say("It did.")],
            "Read the long table part by part.": [
                *[Say(calls=[bash(f"head -c {24_000 + number} long.md")]) for number in range(5)],
                Say("All parts are read."),
            ],
            "What is left of that?": [Say("What the helper said.")],
        },
        agents=frozenset(("Read the long table part by part.",)),
        files={**FILES, "long.md": LINES},
        density=2.2,
    ),
]
