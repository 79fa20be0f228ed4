"""Sessions whose prompt cache breaks, as the client that logs its requests writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from compaction.cache.services.scan import cache_scan
from sessions.models import Transcript
from tests.compaction.logged import PARAMS, SYSTEM, TOOLS, Json, hash_of
from tests.sessions.written import Written

MINUTE = 60_000
GREP: Json = {"name": "Grep", "description": "Finds lines.", "input_schema": {"type": "object"}}


@dataclass
class Breaking(Written):
    """Each turn is a request with its usage: what is read is what the last one had in the cache, or less."""

    sent: list[Json] = field(default_factory=list)
    cached: int = 0
    number: int = 0

    def turn(
        self,
        *,
        system: Sequence[Any] = SYSTEM,
        tools: Sequence[Any] = TOOLS,
        read: int | None = None,
        grows: int = 5_000,
        pause: int = 0,
        message: str = "",
        diagnostics: Json | None = None,
        words: str = "",
        **params: Any,
    ) -> str:
        """`read`: from the cache; without it, all that was there. `pause`: minutes before it. Gives the id."""
        self.clock += pause * MINUTE
        self.number += 1
        text = words or f"How high is the water at station {self.number}?"
        self.user(text)
        self.sent.append({"role": "user", "content": [{"type": "text", "text": text}]})
        self._log(system, tools, {**PARAMS, **params})
        hit = self.cached if read is None else read
        total = self.cached + grows
        usage = {
            "input_tokens": 3,
            "cache_read_input_tokens": hit,
            "cache_creation_input_tokens": total - hit,
            "cache_creation": {"ephemeral_5m_input_tokens": total - hit, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 20,
        }
        self.cached = total
        answer = f"It is {self.number} m."
        name = message or f"msg_{self.session[:8]}_{self.number}"
        self.assistant(answer, message=name, usage=usage, model=params.get("model", PARAMS["model"]))
        if diagnostics is not None:
            self.records[-1]["message"]["diagnostics"] = diagnostics
        self.sent.append({"role": "assistant", "content": [{"type": "text", "text": answer}]})
        return name

    def _log(self, system: Sequence[Any], tools: Sequence[Any], params: Json) -> None:
        given = {"system": list(system), "tools": list(tools)}
        shape = hash_of(given)
        self.state("api-request-shape", shapeHash=shape, shape=given)
        for message in self.sent:
            self.state("api-request-blob", hash=hash_of(message), message=message)
        last = ["messages", len(self.sent) - 1, "content", 0]
        self.state(
            "api-request",
            id=f"request-{self.number}",
            querySource="repl_main_thread",
            shapeHash=shape,
            params=params,
            keep=0,
            tail=[hash_of(message) for message in self.sent],
            cacheControl=[{"path": path, "value": {"type": "ephemeral"}} for path in (["system", 1], last)],
        )

    def rewrites(self, at: int, words: str) -> None:
        """What the client sends of an earlier message from now on."""
        self.sent[at] = {**self.sent[at], "content": [{"type": "text", "text": words}]}

    def looked_into(self) -> Transcript:
        transcript = self.read()
        cache_scan(transcript=transcript)
        transcript.refresh_from_db()
        return transcript

    def tools_changed(self) -> Transcript:
        """Four requests; before the third, a tool comes, and the cache is lost."""
        self.turn(grows=20_000)
        self.turn()
        self.turn(tools=[*TOOLS, GREP], read=0, message="msg_broke")
        self.turn(tools=[*TOOLS, GREP])
        return self.looked_into()
