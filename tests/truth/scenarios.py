"""What the client is put through. All that is said, read and written here is ours."""

from __future__ import annotations

from tests.inspector.agents.server import Call, Fail, Say
from tests.truth.visit import Scenario, Visit

TABLE = "# Tides\n\nHigh water at four minutes past noon.\nLow water at ten minutes past six.\n"
RULES = "# Rules of the harbour\n\nMeasure in metres. Name the mark that was read.\n"
FILES = {"tides.md": TABLE, "marks/north.md": "North mark: 4.2 metres\n", "CLAUDE.md": RULES}


def _read(path: str) -> Call:
    return Call("Read", {"file_path": f"{{work}}/{path}"})


def _bash(command: str) -> Call:
    return Call("Bash", {"command": command, "description": "Look at the tables"})


def _plain(visit: Visit) -> None:
    visit.say("When is high water today?")


def _tools(visit: Visit) -> None:
    visit.say("Put the tables in order, please.")


def _resume(visit: Visit) -> None:
    session = visit.say("Read both tables at once.")
    visit.say("Which mark is the northern one?", "--resume", session)
    visit.say("Go on with the last table.", "--continue")
    visit.say("Try another way from here.", "--resume", session, "--fork-session")


PLAIN = Scenario(
    "plain", _plain, {"When is high water today?": [Say("High water is at four minutes past noon.")]}, files=FILES
)
TOOLS = Scenario(
    "tools",
    _tools,
    {
        "Put the tables in order, please.": [
            Say("I read the tables first.", "Two files are to be read.", [_read("tides.md"), _read("marks/north.md")]),
            Say(
                calls=[
                    Call("Edit", {"file_path": "{work}/tides.md", "old_string": "Low water", "new_string": "Ebb"}),
                    _bash("cat marks/north.md; echo measured"),
                ]
            ),
            Say(
                "A file that is missing, and a command that fails.",
                "",
                [_read("missing.md"), _bash("echo no >&2; exit 3")],
            ),
            Say(calls=[Call("Write", {"file_path": "{work}/south.md", "content": "South mark: 3.9 metres\n"})]),
            Say(calls=[Call("Grep", {"pattern": "metres", "path": "{work}", "output_mode": "content"})]),
            Say("The tables are in order."),
        ]
    },
    files=FILES,
)
RESUME = Scenario(
    "resume",
    _resume,
    {
        "Read both tables at once.": [
            Say("Both at once.", "", [_read("tides.md"), _read("marks/north.md")]),
            Say("I have read both."),
        ],
        "Which mark is the northern one?": [Say("The one at 4.2 metres.")],
        "Go on with the last table.": [Say(calls=[_bash("wc -l tides.md")]), Say("It has four lines.")],
        "Try another way from here.": [Say("Another way it is.")],
    },
    files=FILES,
)
RETRIES = Scenario(
    "retries",
    lambda visit: visit.say("Ask until somebody answers."),
    {"Ask until somebody answers.": [(Fail(529, "Overloaded", retry_after=0.1), Say("Somebody answered."))]},
    files=FILES,
)

SCENARIOS = [PLAIN, TOOLS, RESUME, RETRIES]
