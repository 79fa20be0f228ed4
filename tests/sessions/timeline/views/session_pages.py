from __future__ import annotations

from django.test import Client

from sessions.models import Transcript
from tests.pages import fetch
from tests.sessions.written import Written


def page(client: Client, transcript: Transcript, query: str = "", **headers: str) -> str:
    return fetch(client, f"/sessions/{transcript.public_id}/{query}", **headers)


def long(file: Written) -> Transcript:
    """About 2,000 entries and 8 MB: compactions, errors, parallel calls, sub-agents, and many sessions beside it."""
    for number in range(330):
        file.user(f"Please look at harbour {number}")
        tools = [f"toolu_{number}_{which}" for which in "ab"]
        calls = [{"type": "tool_use", "id": tool, "name": "Bash", "input": {"command": "tide"}} for tool in tools]
        file.assistant(*calls)
        file.result(tools[0], "high water <b> " * 800)
        file.result(tools[1], "low water\n" * 900, error=number % 50 == 0)
        file.assistant({"type": "thinking", "thinking": "hm " * 200, "signature": "s"})
        file.assistant(f"# Harbour {number}\n\n" + "It has *high* water. " * 40)
        if number in (120, 240):
            file.compacts("This session is being continued from a previous conversation: they looked.")
    file.state("continued-in", continuedInSessionId="elsewhere")
    agent = Written(project=file.project, agent="a17")
    agent.turns(1)
    agent.save(agent.path.parent, agent.path.stem)
    for number in range(45):
        other = Written(project=file.project, session=f"{number:08d}-2222-4333-8444-555555555555")
        other.user(f"Question {number}: {'how high is the water? ' * 9}")
        other.save(other.path.parent)
    return file.read()
