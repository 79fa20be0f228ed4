"""The model that the client talks to: a server of the Messages API with a script, a prompt cache and a clock."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from tests.inspector.agents.server import Answer, Call, Fail, MessagesServer, Received, Say
from tests.truth.prompt_cache import PromptCache
from tests.truth.script import Script
from tests.truth.wire import Json, Kind, row


class Sent(NamedTuple):
    """A request of the client, and what came of it."""

    number: int
    time: float
    kind: Kind
    status: int
    body: Json
    betas: str
    response: Json | None
    """`broken`, if the client did not get all of it."""

    def row(self) -> Json:
        stamp = datetime.fromtimestamp(self.time, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return row(self.number, stamp, self.kind, self.status, self.body, self.betas, self.response)


class ScriptedModel(MessagesServer):
    def __init__(self, name: str, script: Script, cache: PromptCache | None = None) -> None:
        super().__init__()
        self.key = "test-key-of-the-truth"
        self.name = name
        self.script = script
        self.cache = cache or PromptCache()
        self.sent: list[Sent] = []

    def count(self, request: Received) -> int:
        return self.cache.count({"system": [], **request.json})

    def take(self, request: Received) -> tuple[int, Answer]:
        body = request.json
        with self._lock:
            self.requests.append(request)
            number, now = len(self.requests), time.time()
            kind, answer = self.script.choose(body)
            if isinstance(answer, Say):
                answer = self._signed(answer, number, body, now)
            status = answer.status if isinstance(answer, Fail) else 200
            response = self._response(answer, number, body) if isinstance(answer, Say) else None
            betas = request.headers.get("anthropic-beta", "")
            self.sent.append(Sent(number, now, kind, status, body, betas, response))
        return number, answer

    def pass_time(self, seconds: float) -> None:
        """Everything so far was so much earlier."""
        with self._lock:
            self.sent = [message._replace(time=message.time - seconds) for message in self.sent]
            self.cache.age(seconds)

    def _signed(self, answer: Say, number: int, body: Json, now: float) -> Say:
        name = hashlib.sha256(f"{self.name} {number}".encode()).hexdigest()
        calls = [
            Call(call.name, call.input, f"toolu_01{name[index : index + 4]}{name[:18]}")
            for index, call in enumerate(answer.calls)
        ]
        thinks = (body.get("thinking") or {}).get("type", "disabled") != "disabled"
        return replace(
            answer,
            id=f"msg_01{name[:22]}",
            calls=calls,
            thinking=answer.thinking if thinks else "",
            usage=self.cache.usage(body, now),
        )

    @staticmethod
    def _response(answer: Say, number: int, body: Json) -> Json:
        message = answer.message(number, body["model"])
        output = {name: message[name] for name in ("id", "model", "stop_reason", "usage")}
        broken = answer.hold is not None or answer.error_after is not None or answer.cut_after is not None
        return {**output, "broken": True} if broken else output
