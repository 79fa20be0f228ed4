"""What is asked of a language model and what comes back, whichever one answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from inspector.agents.cancel import CancelToken
from inspector.agents.errors import ModelError
from sessions.usage.engine.usage import Usage

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class AttemptStarted:
    """An attempt begins."""

    attempt: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class TextArrived:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class BlockStarted:
    """A block of the answer begins: text, thinking, tool_use and so on."""

    kind: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class RetryScheduled:
    """An attempt failed and another follows: what has arrived so far is void."""

    attempt: int
    """The one that failed, from 1."""
    wait: float
    error: ModelError


Progress = AttemptStarted | TextArrived | BlockStarted | RetryScheduled
Listener = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Ask:
    """One request. Blocks, tools and messages are those of the API, and are sent as they are."""

    model: str
    messages: tuple[Json, ...]
    system: str | tuple[Json, ...] = ()
    tools: tuple[Json, ...] = ()
    max_tokens: int | None = None
    """None: whatever the adapter takes for this model."""
    thinking: Json | None = None
    betas: tuple[str, ...] = ()
    metadata: Json | None = None
    stop: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    """More keys of the body, such as `tool_choice` or `output_config`."""
    parent: str = ""
    """Of a fork: the id of the answer to the request that it goes on from. It is not sent."""
    listener: Listener | None = None
    """Called in the thread that asked."""
    cancel: CancelToken = field(default_factory=CancelToken)

    def body(self, default_output: int) -> Json:
        """The body of the request, without what only says how it travels."""
        limit = default_output if self.max_tokens is None else self.max_tokens
        body: Json = {"model": self.model, "max_tokens": limit}
        if self.system:
            body["system"] = self.system if isinstance(self.system, str) else list(self.system)
        if self.tools:
            body["tools"] = list(self.tools)
        if self.thinking is not None:
            body["thinking"] = self.thinking
        if self.metadata is not None:
            body["metadata"] = self.metadata
        if self.stop:
            body["stop_sequences"] = list(self.stop)
        return {**body, **self.extra, "messages": list(self.messages)}

    def report(self, progress: Progress) -> None:
        if self.listener is not None:
            self.listener(progress)


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer."""

    content: tuple[Json, ...]
    stop_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    """Everything that was billed: with iterations, their sum."""
    model: str = ""
    message_id: str | None = None
    request_id: str | None = None
    attempts: int = 1
    cost_usd: float | None = None
    """Only where the model itself says so."""

    @property
    def text(self) -> str:
        return "".join(block["text"] for block in self.content if block.get("type") == "text")

    @property
    def calls(self) -> tuple[Json, ...]:
        return tuple(block for block in self.content if block.get("type") == "tool_use")


@dataclass(frozen=True, slots=True)
class WireRequest:
    """What goes over the wire for a request."""

    body: bytes
    betas: tuple[str, ...] = ()


@runtime_checkable
class InspectableModel(Protocol):
    """A model that can tell what it sends."""

    def sends(self, ask: Ask, /) -> WireRequest: ...


class LanguageModel(Protocol):
    """Answers, or raises a ModelError."""

    @property
    def name(self) -> str:
        """What people call it, such as “Anthropic API”."""

    @property
    def verbatim(self) -> bool:
        """Whether requests are sent as they are, so that tools can be called and a fork shares its parent's cache."""

    def ask(self, ask: Ask, /) -> Reply: ...
