"""Held against what the real client sent. Recordings are outside of the repository; without them nothing is tested."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sessions.context.engine import Context, Exactness, Log, contexts, digest_element
from tests.samples import SHARED, each, needs_samples
from tests.truth.compare import Verdict, answered, verdict
from tests.truth.wire import rows

RECORDINGS = sorted((SHARED / "realclient").glob("*/requests.jsonl"))
pytestmark = needs_samples


def scenario(path: Path) -> str:
    return path.parent.name


def verdicts(path: Path, *, logged: bool = True) -> list[Verdict]:
    ours = {context.request: context for log in logs(path.parent, logged=logged) for context in contexts(log)}
    return [verdict(item, array(ours[item["response"]["id"]])) for item in answered(rows(path.parent))]


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


def has_log(path: Path) -> bool:
    return any(b'"type":"api-request"' in file.read_bytes() for file in (path.parent / "projects").rglob("*.jsonl"))


LOGGED = [path for path in RECORDINGS if has_log(path)]


@pytest.mark.parametrize("path", each(RECORDINGS), ids=scenario)
def test_the_conversation_of_every_request_is_what_was_sent(path: Path) -> None:
    assert all(item.conversation for item in verdicts(path))


@pytest.mark.parametrize("path", each(LOGGED), ids=scenario)
def test_with_the_clients_log_every_request_is_the_same_to_the_byte(path: Path) -> None:
    assert all(item.whole and item.elements for item in verdicts(path))


@pytest.mark.parametrize("path", each(LOGGED), ids=scenario)
def test_a_logged_request_is_called_recorded(path: Path) -> None:
    """A fork copies the conversation and not the log: there the same request is reconstructed."""
    recorded = {
        context.request
        for log in logs(path.parent, logged=True)
        for context in contexts(log)
        if context.exactness is Exactness.RECORDED
    }
    assert {item["response"]["id"] for item in answered(rows(path.parent))} <= recorded


def test_the_rules_alone_make_nearly_all_of_it() -> None:
    """docs/evidence.md says why the log is needed for the rest."""
    result = [verdicts(path, logged=False) for path in RECORDINGS]
    everything = [item for recording in result for item in recording]
    assert sum(item.conversation for item in everything) >= 0.98 * len(everything)
    whole = [element for recording in result if any(item.whole for item in recording) for element in recording]
    assert sum(item.whole for item in whole) >= 0.97 * len(whole)
