"""The request to a language model and its reply, whichever model answers."""

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
    """Counted from 1."""


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
    """An attempt failed and another follows: what has arrived so far does not count."""

    attempt: int
    """The number of the failed attempt, counted from 1."""
    wait: float
    error: ModelError


Progress = AttemptStarted | TextArrived | BlockStarted | RetryScheduled
Listener = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Ask:
    """One request. Blocks, tools and messages have the format of the API and are sent as they are."""

    model: str
    messages: tuple[Json, ...]
    system: str | tuple[Json, ...] = ()
    tools: tuple[Json, ...] = ()
    max_tokens: int | None = None
    """None: the adapter's default for the model."""
    thinking: Json | None = None
    betas: tuple[str, ...] = ()
    metadata: Json | None = None
    stop: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of the body, such as `tool_choice` or `output_config`."""
    parent: str = ""
    """For a fork: the id of the answer that it continues from. Not sent."""
    listener: Listener | None = None
    """Called in the asking thread."""
    cancel: CancelToken = field(default_factory=CancelToken)

    def body(self, default_output: int) -> Json:
        """The body of the request, without what concerns only its transport."""
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
    """A complete answer."""

    content: tuple[Json, ...]
    stop_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    """Everything that was billed; the sum, if there were iterations."""
    model: str = ""
    message_id: str | None = None
    request_id: str | None = None
    attempts: int = 1
    cost_usd: float | None = None
    """Set only if the model reports it."""

    @property
    def text(self) -> str:
        return "".join(block["text"] for block in self.content if block.get("type") == "text")

    @property
    def calls(self) -> tuple[Json, ...]:
        return tuple(block for block in self.content if block.get("type") == "tool_use")


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request as it is sent."""

    body: bytes
    betas: tuple[str, ...] = ()


@runtime_checkable
class InspectableModel(Protocol):
    """A model that can show what it would send."""

    def sends(self, ask: Ask, /) -> WireRequest: ...


class LanguageModel(Protocol):
    """Answers, or raises a ModelError."""

    @property
    def name(self) -> str:
        """Its name for people, such as “Anthropic API”."""

    @property
    def verbatim(self) -> bool:
        """Whether requests are sent unchanged, so that tools work and a fork shares its parent's cache."""

    def ask(self, ask: Ask, /) -> Reply: ...
