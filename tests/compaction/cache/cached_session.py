"""A session with a prompt cache, written as the newest client writes it: a log of its requests, and the usage that the
API would count. What a request reads, the test says; the rest of the prompt is written."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from tests.compaction.cache.engine.request_bodies import MARK, OPUS, SYSTEM, TOOLS
from tests.compaction.logged import PARAMS, hash_of
from tests.sessions.writing import stamp
from tests.sessions.written import Written

Json = dict[str, Any]
MINUTE = 60_000


@dataclass
class Cached(Written):
    system: tuple[str, ...] = SYSTEM
    tools: tuple[Json, ...] = TOOLS
    model: str = OPUS
    mark: Json = field(default_factory=lambda: MARK)
    params: Json = field(default_factory=lambda: {key: value for key, value in PARAMS.items() if key != "model"})
    logs: bool = True
    sent: list[Json] = field(default_factory=list)
    shapes: set[str] = field(default_factory=set)
    turn_count: int = 0

    def asks(self, read: int, written: int, *, after: int = 0, words: str = "", **answer: Any) -> str:
        """A person says something, the client sends it, the model answers. `after`: minutes since the last record."""
        self.clock += after * MINUTE
        self.turn_count += 1
        text = words or f"How high is the water at harbour {self.turn_count}? " * 20
        self.user(text)
        if self.logs:
            self.logs_request({"role": "user", "content": [{"type": "text", "text": text}]})
        name = f"msg_{self.agent or 'main'}_{self.session[:4]}_{self.turn_count}"
        output = f"At harbour {self.turn_count} it is {self.turn_count} m high. " * 20
        self.assistant(output, message=name, model=self.model, usage=self.usage(read, written), **answer)
        self.sent.append({"role": "assistant", "content": [{"type": "text", "text": output}]})
        return name

    def warm(self, *, upto: int = 50_000) -> Cached:
        """Two requests: the first writes the prompt, the second reads it."""
        self.asks(0, upto)
        self.asks(upto, 500)
        return self

    def goes_back(self, messages: int, leaf: str | None) -> None:
        """The next prompt follows this row, and so many messages."""
        self.leaf, self.sent = leaf, self.sent[:messages]

    def usage(self, read: int, written: int) -> Json:
        hour = self.mark.get("ttl") == "1h"
        split = dict.fromkeys(("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"), 0)
        split[f"ephemeral_{'1h' if hour else '5m'}_input_tokens"] = written
        return {
            "input_tokens": 3,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "cache_creation": split,
            "output_tokens": 10,
        }

    def logs_request(self, message: Json) -> None:
        shape = {"system": [{"type": "text", "text": section} for section in self.system], "tools": list(self.tools)}
        name = hash_of(shape)
        if name not in self.shapes:
            self.shapes.add(name)
            self.state("api-request-shape", shapeHash=name, shape=copy.deepcopy(shape))
        self.sent.append(message)
        self.state(
            "api-request",
            id=f"{self.session}-{self.agent}-{len(self.records)}",
            timestamp=stamp(self.clock),
            querySource="agent:builtin" if self.agent else "repl_main_thread",
            shapeHash=name,
            params={"model": self.model, **self.params},
            keep=0,
            tail=[hash_of(message) for message in self.sent],
            cacheControl=self._marks(),
        )

    def _marks(self) -> list[Json]:
        paths: list[list[Any]] = [["system", index] for index in range(len(self.system))]
        paths.append(["messages", len(self.sent) - 1, "content", 0])
        return [{"path": path, "value": self.mark} for path in paths]
