"""Forks: agents that continue a parent's request, so that all of it is read from the prompt cache.

A fork sends the parent's system prompt, tools, model, thinking and messages unchanged, followed by its own messages.
Nothing else may differ, not even the output limit, because the thinking budget depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from inspector.agents.cache_marks import find_mark, remove_marks, set_mark
from inspector.agents.cancel import CancelToken
from inspector.agents.model import Ask, Json, Listener

TAG = "<lucid-fork>"
PLACEHOLDER = "The call was handed on to forked agents."
DIRECT_OUTPUT = 20_000
_OWN = (
    "model",
    "system",
    "tools",
    "thinking",
    "metadata",
    "messages",
    "max_tokens",
    "stream",
    "stop_sequences",
    "betas",
)


class ForkRefusedError(ValueError):
    """A fork may not fork again."""


@dataclass(frozen=True, slots=True)
class CacheSafeParams:
    """Everything in a request that the cache depends on, and whatever else must stay the same."""

    model: str
    messages: tuple[Json, ...]
    system: str | tuple[Json, ...] = ()
    tools: tuple[Json, ...] = ()
    thinking: Json | None = None
    betas: tuple[str, ...] = ()
    metadata: Json | None = None
    stop: tuple[str, ...] = ()
    max_tokens: int | None = None
    """The parent's; a fork never sets its own."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    mark: Json | None = None
    """The cache mark, if the messages do not contain it."""
    request: str = ""
    """The id of the answer to the parent's latest request, if known."""

    @classmethod
    def of_request(cls, body: Mapping[str, Any], betas: Sequence[str] = ()) -> CacheSafeParams:
        """From a request that was sent or recorded."""
        system = body.get("system") or ()
        return cls(
            model=body["model"],
            messages=tuple(body["messages"]),
            system=system if isinstance(system, str) else tuple(system),
            tools=tuple(body.get("tools") or ()),
            thinking=body.get("thinking"),
            betas=tuple(betas),
            metadata=body.get("metadata"),
            stop=tuple(body.get("stop_sequences") or ()),
            max_tokens=body.get("max_tokens"),
            extra={key: value for key, value in body.items() if key not in _OWN},
        )

    def extend(self, *messages: Json) -> CacheSafeParams:
        """The same conversation with further messages."""
        return replace(self, messages=(*self.messages, *messages))


def fork(
    params: CacheSafeParams,
    own: Sequence[Json],
    *,
    writes_cache: bool = False,
    listener: Listener | None = None,
    cancel: CancelToken | None = None,
) -> Ask:
    """The parent's request, followed by these messages.

    A fork of a single turn should not write the cache, because nothing reads it: its mark stays where the parent's
    would be, one message back. Calls that the parent has not answered yet get the placeholder as result.
    """
    if is_fork(params.messages):
        raise ForkRefusedError("A forked agent may not fork.")
    if not own:
        raise ValueError("A fork needs a message of its own.")
    added = (_after(params.messages, own[0]), *own[1:])
    mark = find_mark(params.messages) or params.mark
    messages = set_mark((*params.messages, *added), mark=mark, from_end=1 if writes_cache else 2)
    return _ask(params, messages, listener, cancel)


def fork_children(
    params: CacheSafeParams,
    assistant: Json | None,
    directives: Sequence[str],
    *,
    listener: Listener | None = None,
    cancel: CancelToken | None = None,
) -> tuple[Ask, ...]:
    """Forks that run in parallel from one answer of the parent, each with its own directive; `assistant` is None where
    the parent waits for an answer.

    Up to the directive their requests are byte for byte the same, cache mark included.
    """
    if is_fork(params.messages):
        raise ForkRefusedError("A forked agent may not fork.")
    shared = params.messages if assistant is None else (*params.messages, assistant)
    mark = find_mark(params.messages) or params.mark
    results = [] if assistant is None else placeholders(assistant)
    asks = []
    for text in directives:
        block: Json = {"type": "text", "text": directive(text)}
        if results:
            before = set_mark((*shared, {"role": "user", "content": results}), mark=mark)
            last: Json = {"role": "user", "content": [*before[-1]["content"], block]}
            messages = (*before[:-1], last)
        else:
            messages = (*set_mark(shared, mark=mark), {"role": "user", "content": [block]})
        asks.append(_ask(params, messages, listener, cancel.child() if cancel else None))
    return tuple(asks)


def placeholders(assistant: Json) -> list[Json]:
    """The same result for every call of an answer."""
    content = assistant.get("content")
    blocks = content if isinstance(content, list) else []
    return [
        {"type": "tool_result", "tool_use_id": block["id"], "content": PLACEHOLDER}
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "tool_use"
    ]


def directive(text: str) -> str:
    """The message to a child, with the tag that marks it as a fork."""
    return f"{TAG}\nYou are a forked agent. Do only what follows, yourself, then stop.\n</{TAG[1:]}\n\n{text}"


def is_fork(messages: Sequence[Json]) -> bool:
    """Whether the conversation has a directive. A text that only quotes the tag does not count."""
    for message in messages:
        if message.get("role") != "user":
            continue
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        for block in blocks:
            if isinstance(block, dict) and block.get("type") == "text" and str(block.get("text")).startswith(TAG):
                return True
    return False


def direct(
    model: str,
    system: str | tuple[Json, ...],
    messages: Sequence[Json],
    *,
    listener: Listener | None = None,
    cancel: CancelToken | None = None,
) -> Ask:
    """The request if there is no parent: its own prompt, no tools, no thinking, a limited output."""
    return Ask(
        model,
        remove_marks(messages),
        system=system,
        max_tokens=DIRECT_OUTPUT,
        listener=listener,
        cancel=cancel or CancelToken(),
    )


def _after(before: Sequence[Json], first: Json) -> Json:
    open_calls = placeholders(before[-1]) if before and before[-1].get("role") == "assistant" else []
    if not open_calls:
        return first
    content = first.get("content")
    return {
        **first,
        "content": [*open_calls, *([{"type": "text", "text": content}] if isinstance(content, str) else content or [])],
    }


def _ask(
    params: CacheSafeParams, messages: tuple[Json, ...], listener: Listener | None, cancel: CancelToken | None
) -> Ask:
    return Ask(
        params.model,
        messages,
        system=params.system,
        tools=params.tools,
        max_tokens=params.max_tokens,
        thinking=params.thinking,
        betas=params.betas,
        metadata=params.metadata,
        stop=params.stop,
        extra=params.extra,
        parent=params.request,
        listener=listener,
        cancel=cancel or CancelToken(),
    )
