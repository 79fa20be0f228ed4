"""Requests as they were sent, beside what Lucid says of them. The only place where the two are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tests.truth.wire import Json, Kind

Messages = Sequence[Mapping[str, Any]]


class Verdict(NamedTuple):
    """Of one request."""

    number: int
    message: str
    """The id of the answer."""
    agent: bool
    has_context: bool
    """Lucid has a context for it."""
    conversation: bool = False
    """The conversation is exactly what Lucid says, without what the client put around it."""
    whole: bool = False
    """Every block is the same to the byte."""
    elements: bool = False
    """And the blocks are cut into the same messages."""


def answered(logged: Sequence[Json]) -> list[Json]:
    """Requests of the conversation and of sub-agents that got a whole answer, which a transcript must hold."""
    due = [item for item in logged if item["kind"] in (Kind.MAIN, Kind.SUB) and item["status"] == 200]
    return [item for item in due if item["response"] and not item["response"].get("broken")]


def verdict(sent: Json, messages: Messages | None, *, agent: bool = False) -> Verdict:
    number, message, theirs = sent["n"], sent["response"]["id"], sent["messages"]
    if messages is None:
        return Verdict(number, message, agent, has_context=False)
    return Verdict(
        number,
        message,
        agent,
        has_context=True,
        conversation=conversation(messages) == conversation(theirs),
        whole=bytes_of(messages) == bytes_of(theirs),
        elements=elements_of(messages) == elements_of(theirs),
    )


def conversation(messages: Messages) -> list[tuple[Any, ...]]:
    return [
        (message["role"], block["type"], block.get("id") or block.get("tool_use_id"), block["core"])
        for message in messages
        for block in message["content"]
        if not block.get("injected")
    ]


def bytes_of(messages: Messages) -> list[tuple[Any, ...]]:
    return [(message["role"], block["sha256"]) for message in messages for block in message["content"]]


def elements_of(messages: Messages) -> list[tuple[Any, ...]]:
    return [(message["role"], [block["sha256"] for block in message["content"]]) for message in messages]
