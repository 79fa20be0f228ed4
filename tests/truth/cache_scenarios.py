"""What breaks the prompt cache: tools of servers that come and go, a small model in between, a client that is started
anew after files have changed. All of it is ours."""

from __future__ import annotations

import json

from tests.inspector.agents.server import Call, Say
from tests.truth.stage import FILES, LINES, read, scenario
from tests.truth.visit import ALLOWED, HAIKU, Visit

SERVER = """import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    name, number = asked.get("method"), asked.get("id")
    if number is None:
        continue
    found = {}
    if name == "initialize":
        found = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                 "serverInfo": {"name": "gauge", "version": "1.0.0"}, "instructions": "Ask the gauge for heights."}
    elif name == "tools/list":
        found = {"tools": [{"name": "height", "description": "The height of the water in metres",
                            "inputSchema": {"type": "object", "properties": {"mark": {"type": "string"}}}}]}
    elif name == "tools/call":
        found = {"content": [{"type": "text", "text": "4.2 metres at the mark"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": found}), flush=True)
"""
GAUGE = {"mcpServers": {"gauge": {"command": "python3", "args": ["gauge.py"]}}}


def _servers(visit: Visit) -> None:
    (visit.home.folder / "gauge.json").write_text(json.dumps(GAUGE), "utf-8")
    server = ("--mcp-config", str(visit.home.folder / "gauge.json"))
    session = visit.say("Ask the gauge for the height.", *server)
    visit.say("Tell me the height again.", "--resume", session)
    visit.say("Ask the gauge once more.", "--resume", session, *server)


def _small(visit: Visit) -> None:
    session = visit.say("Read the long table first.")
    visit.say("Let the small model go on.", "--resume", session, model=HAIKU)
    visit.say("Come back to the large model.", "--resume", session)


def _restarted(visit: Visit) -> None:
    session = visit.talk("Read the long table first.", "Write the height down.")
    visit.say("Is it written down?", "--resume", session)
    visit.say("Who wrote it down?", "--resume", session)


BREAKING = [
    scenario(
        "servers",
        _servers,
        {
            "Ask the gauge for the height.": [
                Say(calls=[Call("mcp__gauge__height", {"mark": "north"})]),
                Say("It is 4.2 metres."),
            ],
            "Tell me the height again.": [Say("4.2 metres, as before.")],
            "Ask the gauge once more.": [
                Say(calls=[Call("mcp__gauge__height", {"mark": "north"})]),
                Say("Still 4.2 metres."),
            ],
        },
        files={**FILES, "gauge.py": SERVER},
        settings={"permissions": {"allow": [*ALLOWED, "mcp__gauge__height"]}},
    ),
    scenario(
        "small",
        _small,
        {
            "Read the long table first.": [Say(calls=[read("long.md")]), Say("I have read it.")],
            "Let the small model go on.": [Say("The small one is here.")],
            "Come back to the large model.": [Say("The large one is back.")],
        },
        files={**FILES, "long.md": LINES[:12_000]},
    ),
    scenario(
        "restarted",
        _restarted,
        {
            "Read the long table first.": [Say(calls=[read("long.md")]), Say("I have read it.")],
            "Write the height down.": [
                Say(calls=[Call("Write", {"file_path": "{work}/height.md", "content": "4.2 metres\n"})]),
                Say("It is in the file."),
            ],
            "Is it written down?": [Say("It is.")],
            "Who wrote it down?": [Say("I did.")],
        },
        files={**FILES, "long.md": LINES[:12_000]},
    ),
]
