from __future__ import annotations

from pathlib import Path

import pytest

from sessions.context.engine import Context
from sessions.context.selectors.contexts import load_context, load_contexts, point_of_request
from sessions.context.selectors.forked_contexts import find_original, load_original_contexts
from sessions.models import Transcript
from tests.sessions.context.engine.context_helpers import call, texts
from tests.sessions.writing import stamp
from tests.sessions.written import Written

VERSION = "2.1.20"


@pytest.fixture
def sessions(tmp_path: Path, db: None) -> tuple[Transcript, Transcript]:
    """A session with parallel calls, and a fork of it: that has one of the results."""
    project = tmp_path / "projects" / "-home-dev-atlas"
    origin = Written(project=project, session="99999999-2222-4333-8444-777777777777")
    origin.user("Look", version=VERSION)
    first = origin.assistant(call("t1"), message="m1", version=VERSION)
    second = origin.assistant(call("t2"), message="m1", version=VERSION)
    origin.result("t1", "one", parent=first, version=VERSION)
    origin.result("t2", "two", parent=second, version=VERSION)
    origin.assistant("Seen.", message="m2", version=VERSION)
    fork = Written(project=project, session="99999999-2222-4333-8444-888888888888", clock=origin.clock + 60_000)
    fork.state("queue-operation", operation="dequeue", timestamp=stamp(fork.clock))
    copied = [record for number, record in enumerate(origin.records) if number != 3]
    fork.records += [{**record, "sessionId": fork.session} for record in copied]
    fork.leaf = origin.leaf
    fork.user("Again", version=VERSION)
    fork.assistant("Yes.", message="m3", version=VERSION)
    return origin.read(), fork.read()


def results(context: Context) -> list[str]:
    return [word for _, text in texts(context) for word in text if word.startswith("result ")]


def test_a_copied_request_is_shown_as_it_was_made(sessions: tuple[Transcript, Transcript]) -> None:
    origin, fork = sessions
    fork.refresh_from_db()
    copied = {context.request: context for context in load_contexts(fork)}
    assert results(copied["m2"]) == ["result t2: two"]
    sent = {context.request: context for _, context in load_original_contexts(fork)}
    assert results(sent["m2"]) == ["result t1: one", "result t2: two"]
    assert results(sent["m3"]) == ["result t2: two"]
    result, context = find_original(fork, load_context(*point_of_request(fork, "m2")))
    assert (result.pk, context.is_copied) == (origin.pk, False)


def test_a_request_of_the_session_itself_is_shown_as_it_is(sessions: tuple[Transcript, Transcript]) -> None:
    _, fork = sessions
    fork.refresh_from_db()
    context = load_context(*point_of_request(fork, "m3"))
    assert find_original(fork, context) == (fork, context)


def test_without_the_session_a_copied_request_is_shown_as_the_fork_has_it(
    sessions: tuple[Transcript, Transcript],
) -> None:
    _, fork = sessions
    fork.refresh_from_db()
    fork.forked_from = None
    context = load_context(*point_of_request(fork, "m2"))
    assert find_original(fork, context) == (fork, context)
    assert any("this one was copied from" in sentence for sentence in context.unknown)
