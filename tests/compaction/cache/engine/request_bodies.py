"""Requests for the detection to compare: made from their bodies, as the client's log would give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compaction.cache.engine.causes.breaks import Break
from compaction.cache.engine.causes.evidence import Answer, CacheEvent, Evidence
from compaction.cache.engine.causes.explanation import explain
from compaction.cache.engine.requests.calls import MINUTE, Call, Drop
from compaction.cache.engine.requests.client_state import UNKNOWN_STATE, ClientState
from sessions.context.engine import Context
from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.rendering.array import Element, Piece
from sessions.context.engine.rendering.overlays import Overlays
from sessions.context.engine.request import ContextPart
from sessions.context.engine.request_log import LoggedRequest
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.usage.engine.usage import Usage

Json = dict[str, Any]
OPUS, SONNET, HAIKU = "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"
HEADER = "x-anthropic-billing-header: cc_version=2.1.325.{}; cc_entrypoint=cli;"
SYSTEM = ("You are an agent that watches tides.", "Never guess a height. " * 500)
MARK: Json = {"type": "ephemeral"}


def tool(name: str, about: str = "Does something. " * 40, **more: Any) -> Json:
    return {"name": name, "description": about, "input_schema": {"type": "object"}, **more}


TOOLS = tuple(tool(name) for name in ("Bash", "Edit", "Read", "Write"))
HEAD = 2_700
"""About what system prompt and tools make of the 10,500 tokens of the later request."""


def conversation(count: int, words: str = "The tide at harbour {} is high. ") -> tuple[Json, ...]:
    """A conversation of so many messages, 800 characters each or more."""
    return tuple(
        {
            "role": "user" if index % 2 == 0 else "assistant",
            "content": [{"type": "text", "text": words.format(index) * 30}],
        }
        for index in range(count)
    )


@dataclass(frozen=True)
class SentRequest:
    """A request. Its messages stand at the positions 10, 11, and so on."""

    messages: Sequence[Json] = field(default_factory=lambda: conversation(41))
    system: Sequence[str] | None = SYSTEM
    tools: Sequence[Json] | None = TOOLS
    model: str = OPUS
    params: Mapping[str, Any] = field(default_factory=dict)
    mark: Json = field(default_factory=lambda: MARK)
    logged: bool = True
    """Else it was made from the transcript."""
    shape: str = "shape"
    prints: tuple[str, ...] = ()
    """The client's own, of its messages."""
    position: int = 100
    restarted: int = -1
    places: Mapping[int, int] = field(default_factory=dict)
    """Of messages that came from other records than usual."""
    answers: Mapping[int, str] = field(default_factory=dict)
    """The ids of messages that are answers."""

    def context(self) -> Context:
        elements = tuple(self._element(index, message) for index, message in enumerate(self.messages))
        system = None if self.system is None else tuple({"type": "text", "text": section} for section in self.system)
        tools = None if self.tools is None else tuple(self.tools)
        logged = (
            LoggedRequest("r", self.prints, self.params, self.shape, (), self.position - 1) if self.logged else None
        )
        marks = self._marks() if self.logged else None
        params = {"model": self.model, **self.params} if self.logged else {}
        part = ContextPart(Segment(None, [], [], [], []), (), elements)
        return Context(
            f"msg_{self.position}",
            self.position,
            self.model,
            (part,),
            logged,
            elements if self.logged else None,
            RequestSetup(system, tools, params, marks),
            Overlays(),
            restarted=self.restarted,
        )

    def _element(self, at: int, message: Json) -> Element:
        position = self.places.get(at, 10 + at)
        name = self.answers.get(at, "")
        made = Message(
            message["role"], tuple(message["content"]), MessageKind.PROMPT, message_id=name, position=position
        )
        return Element(message["role"], tuple(Piece(block, made) for block in message["content"]))

    def _marks(self) -> tuple[Json, ...]:
        last = len(self.messages) - 1
        paths: list[list[Any]] = [["system", index] for index in range(len(self.system or ()))][-2:]
        paths.append(["messages", last, "content", len(self.messages[last]["content"]) - 1])
        return tuple({"path": path, "value": self.mark} for path in paths)


def call(
    read: int = 0,
    written: int = 0,
    *,
    at: int = 0,
    model: str = OPUS,
    source: str = "main",
    name: str = "",
    hour: bool = False,
    position: int = 0,
    copied: bool = False,
    fresh: int = 3,
) -> Call:
    """`at`: in minutes."""
    usage = Usage(fresh, read, 0 if hour else written, written if hour else 0, 10)
    return Call(name or f"msg_{position or at}", source, model, position or at, at * MINUTE, usage, copied)


def broken(
    before: SentRequest,
    after: SentRequest,
    *,
    read: int,
    gap: int = 1,
    hour: bool = False,
    events: Sequence[CacheEvent] = (),
    answers: tuple[Answer, Answer] = (Answer(), Answer()),
    within_reach: int | None = None,
    was: int = 9_000,
    returned_to: SentRequest | None = None,
    states: tuple[ClientState, ClientState] = (UNKNOWN_STATE, UNKNOWN_STATE),
) -> Break:
    """What is said of two requests. The first had `was` tokens read and 1,000 written; of the second all that is not
    read was written. `gap`: in minutes."""
    previous = call(was, 1_000, at=0, model=before.model, position=before.position, hour=hour)
    now = call(read, 10_500 - read, at=gap, model=after.model, position=after.position, hour=hour)
    earlier = None if returned_to is None else returned_to.context()
    evidence = Evidence(before.context(), after.context(), *answers, tuple(events), within_reach, earlier, *states)
    return explain(Drop(previous, now), evidence, [])


def later(prompt: SentRequest, *more: Json, **changes: Any) -> SentRequest:
    """The next request of the same conversation."""
    messages = [*prompt.messages, *(more or conversation(2, "And harbour {}? "))]
    return replace(prompt, **{"messages": messages, "position": prompt.position + 10, **changes})


def names(cache_break: Break) -> list[str]:
    return [str(cause.name) for cause in cache_break.causes]


def also(cache_break: Break) -> list[str]:
    return [str(cause.name) for cause in cache_break.also]
