"""Held against what the real client sent. Recordings are outside of the repository; without them nothing is tested."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sessions.engine.context import Context, Exactness, Log, contexts, digest_element
from tests.samples import SHARED, each, needs_samples

RECORDINGS = sorted((SHARED / "realclient").glob("*/requests.jsonl"))
pytestmark = needs_samples


@dataclass(frozen=True)
class Share:
    requests: int
    conversation: int
    """Requests whose conversation is exactly ours, without what the client put around it."""
    whole: int
    """Requests whose every block is ours to the byte."""
    elements: int
    """Those of them that are cut into the same elements."""


def scenario(path: Path) -> str:
    return path.parent.name


def share(path: Path, *, logged: bool = True) -> Share:
    ours = {context.request: context for log in logs(path.parent, logged=logged) for context in contexts(log)}
    truth = answered(path)
    found = [ours[one["response"]["id"]] for one in truth]
    return Share(
        len(truth),
        sum(conversation(array(mine)) == conversation(one["messages"]) for mine, one in zip(found, truth, strict=True)),
        sum(bytes_of(array(mine)) == bytes_of(one["messages"]) for mine, one in zip(found, truth, strict=True)),
        sum(cut(array(mine)) == cut(one["messages"]) for mine, one in zip(found, truth, strict=True)),
    )


def answered(path: Path) -> list[dict[str, Any]]:
    """Requests of the conversation and of sub-agents; errands of the client have no answer in a transcript."""
    all_of_them = [json.loads(line) for line in path.read_text().splitlines()]
    return [one for one in all_of_them if one["kind"] in ("main", "sub") and one["status"] == 200]


def logs(folder: Path, *, logged: bool) -> Iterator[Log]:
    for path in (folder / "projects").rglob("*.jsonl"):
        if "acompact" in path.name:
            continue  # a copy of the conversation
        lines = path.read_bytes().splitlines(keepends=True)
        kept = lines if logged else [line for line in lines if not line.startswith(b'{"type":"api-request')]
        session = path.parents[1].with_suffix(".jsonl")
        main = Log(session.read_bytes()) if path.name.startswith("agent-") and session.exists() else None
        yield Log(b"".join(kept), agent=path.name.startswith("agent-"), main=main)


def array(context: Context) -> list[dict[str, Any]]:
    return [digest_element(element) for element in context.elements]


def conversation(messages: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [
        (message["role"], block["type"], block.get("id") or block.get("tool_use_id"), block["core"])
        for message in messages
        for block in message["content"]
        if not block.get("injected")
    ]


def bytes_of(messages: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(message["role"], block["sha256"]) for message in messages for block in message["content"]]


def cut(messages: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(message["role"], [block["sha256"] for block in message["content"]]) for message in messages]


def has_log(path: Path) -> bool:
    return any(b'"type":"api-request"' in file.read_bytes() for file in (path.parent / "projects").rglob("*.jsonl"))


LOGGED = [path for path in RECORDINGS if has_log(path)]


@pytest.mark.parametrize("path", each(RECORDINGS), ids=scenario)
def test_the_conversation_of_every_request_is_what_was_sent(path: Path) -> None:
    found = share(path)
    assert found.conversation == found.requests


@pytest.mark.parametrize("path", each(LOGGED), ids=scenario)
def test_with_the_clients_log_every_request_is_the_same_to_the_byte(path: Path) -> None:
    found = share(path)
    assert found.whole == found.elements == found.requests


@pytest.mark.parametrize("path", each(LOGGED), ids=scenario)
def test_a_logged_request_is_called_recorded(path: Path) -> None:
    """A fork copies the conversation and not the log: there the same request is reconstructed."""
    recorded = {
        context.request
        for log in logs(path.parent, logged=True)
        for context in contexts(log)
        if context.exactness is Exactness.RECORDED
    }
    assert {one["response"]["id"] for one in answered(path)} <= recorded


def test_the_rules_alone_make_nearly_all_of_it() -> None:
    """docs/context-fidelity.md says why the log is needed for the rest."""
    shares = [share(path, logged=False) for path in RECORDINGS]
    requests = sum(one.requests for one in shares)
    assert sum(one.conversation for one in shares) >= 0.98 * requests
    assert sum(one.whole for one in shares if one.whole) >= 0.97 * sum(one.requests for one in shares if one.whole)
