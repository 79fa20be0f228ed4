"""A model that answers over HTTP and always wants the same: to write one memory, and then to end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from tests.inspector.agents.server import Answer, Call, Received, Say, messages_server

TOPIC = "---\nname: wind\ndescription: where it comes from\ntype: project\n---\n\nWest.\n"


def _answer(request: Received) -> Answer:
    if "tool_result" in str(request.json["messages"][-1]):
        return Say("Done.")
    match = re.search(r"the memory directory (\S+/memory)", request.body.decode())
    name = f"{match[1]}/wind.md" if match else "wind.md"
    return Say(calls=[Call("Write", {"file_path": name, "content": TOPIC})])


@contextmanager
def model_environment() -> Iterator[dict[str, str]]:
    with messages_server() as server:
        server.otherwise = _answer
        yield {"ANTHROPIC_API_KEY": server.key, "ANTHROPIC_BASE_URL": server.url}
