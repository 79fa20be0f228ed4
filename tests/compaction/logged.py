"""A session as the newest client writes it: beside its records stands a log of every request, as hashes and shapes."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from sessions.context.engine.digest import canonical, full_hash
from tests.sessions.writing import MODEL
from tests.sessions.written import Written

Json = dict[str, Any]
MARK = {"type": "ephemeral", "ttl": "1h"}
SYSTEM: list[Json] = [{"type": "text", "text": "You watch tides."}, {"type": "text", "text": "\nNever guess. ü\n"}]
TOOLS: list[Json] = [
    {"name": "Bash", "description": "Runs a command.", "input_schema": {"type": "object", "properties": {}}},
    {"name": "Read", "description": "Reads a file.", "input_schema": {"type": "object", "properties": {}}},
]
PARAMS: Json = {
    "model": MODEL,
    "betas": ["claude-code-20250219", "context-management-2025-06-27"],
    "max_tokens": 128_000,
    "thinking": {"type": "adaptive", "display": "updates"},
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
    "output_config": {"effort": "medium"},
}


@dataclass
class Logged(Written):
    sent: list[Json] = field(default_factory=list)
    """The messages of the latest request, without marks."""
    logged: list[str] = field(default_factory=list)

    def asks(self, *new: Json, blobs: bool = False) -> None:
        """The client logs a request that has these messages after those of the one before."""
        keep, base = len(self.sent), self.logged[-1] if self.logged else None
        self.sent = [*self.sent, *copy.deepcopy(list(new))]
        if base is None:
            self.state("api-request-shape", shapeHash="shape", shape={"system": SYSTEM, "tools": TOOLS})
        for message in new if blobs else ():
            self.state("api-request-blob", hash=hash_of(message), message=message)
        self.logged.append(f"request-{len(self.logged)}")
        last = [len(self.sent) - 1, "content", 0]
        self.state(
            "api-request",
            id=self.logged[-1],
            querySource="repl_main_thread",
            shapeHash="shape",
            params=PARAMS,
            keep=keep,
            tail=[hash_of(message) for message in new],
            cacheControl=[
                {"path": ["system", 0], "value": MARK},
                {"path": ["system", 1], "value": MARK},
                {"path": ["messages", *last], "value": MARK},
            ],
            **({"base": base} if base else {}),
        )

    def talk(self) -> Logged:
        """Three requests, the second of which answers a call; the last answer closes it."""
        self.user("How high is the water? " * 200)
        # What the client sends of it is not what it wrote down.
        reminder = {"type": "text", "text": "<system-reminder>\nToday is a spring tide.\n</system-reminder>"}
        words = {"type": "text", "text": "How high is the water? " * 200}
        self.asks({"role": "user", "content": [reminder, words]}, blobs=True)
        thinking = {"type": "thinking", "thinking": "I should look.", "signature": "c2lnbmVk"}
        call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "tide"}}
        self.assistant(thinking, call, message="msg_look")
        self.result("toolu_1", "4.2 m " * 400)
        result = self.records[-1]["message"]["content"][0]
        self.asks({"role": "assistant", "content": [thinking, call]}, {"role": "user", "content": [result]})
        self.assistant("It is 4.2 m high.", message="msg_high")
        self.user("And tomorrow? " * 200)
        block = {"type": "text", "text": "It is 4.2 m high."}
        self.asks({"role": "assistant", "content": [block]}, {"role": "user", "content": "And tomorrow? " * 200})
        self.assistant("It will be 4.4 m high.", message="msg_tomorrow")
        return self


def hash_of(message: Json) -> str:
    return full_hash(canonical(message))
