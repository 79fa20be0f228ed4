from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from inspector.agents.anthropic_model import AnthropicModel
from inspector.agents.cache_marks import remove_marks
from inspector.agents.cancel import CancelToken
from inspector.agents.forks import (
    PLACEHOLDER,
    TAG,
    CacheSafeParams,
    ForkRefusedError,
    direct,
    directive,
    fork,
    fork_children,
    is_fork,
)
from inspector.agents.retrying import Retries
from inspector.agents.wire import to_bytes
from tests.inspector.agents.marked import mark_positions
from tests.inspector.agents.server import MessagesServer, Say, messages_server

HOUR = {"type": "ephemeral", "ttl": "1h"}
PARENT: dict[str, Any] = {
    "model": "claude-parent",
    "max_tokens": 32_001,
    "system": [{"type": "text", "text": "Grüße", "cache_control": HOUR}, {"type": "text", "text": "More"}],
    "tools": [{"name": "Read", "input_schema": {"type": "object"}, "cache_control": HOUR}, {"name": "Bash"}],
    "thinking": {"type": "enabled", "budget_tokens": 31_999},
    "metadata": {"user_id": "u"},
    "output_config": {"effort": "high"},
    "context_management": {"edits": []},
    "messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "s"}]},
        {"role": "user", "content": [{"type": "text", "text": "Go on 🎈", "cache_control": HOUR}]},
    ],
    "stream": True,
}
PARAMS = CacheSafeParams.of_request(PARENT, ["one-2026"])
ASSISTANT = {
    "role": "assistant",
    "content": [
        {"type": "text", "text": "Both."},
        {"type": "tool_use", "id": "toolu_a", "name": "Task", "input": {"x": 1}},
        {"type": "tool_use", "id": "toolu_b", "name": "Task", "input": {"x": 2}},
    ],
}
SUMMARISE = {"role": "user", "content": "Summarise."}


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with messages_server() as running:
        yield running


def model(server: MessagesServer) -> AnthropicModel:
    return AnthropicModel(server.key, base_url=server.url, retries=Retries(attempts=1))


def bytes_of(messages: Any) -> bytes:
    return to_bytes(list(remove_marks(messages)))


def test_the_request_of_a_fork_is_the_parents_byte_for_byte_and_its_own_messages(server: MessagesServer) -> None:
    server.answer(Say("ok"))
    model(server).ask(fork(PARAMS, [SUMMARISE]))
    (request,) = server.requests
    sent = request.json
    assert sent.keys() == PARENT.keys()
    for key in PARENT.keys() - {"messages"}:
        assert to_bytes(sent[key]) == to_bytes(PARENT[key])
        assert to_bytes({key: PARENT[key]})[1:-1] in request.body
    assert bytes_of(sent["messages"][:-1]) == bytes_of(PARENT["messages"])
    assert request.headers["anthropic-beta"] == "one-2026"


def test_a_fork_that_does_not_write_sends_even_the_messages_with_their_mark_as_they_were() -> None:
    ask = fork(PARAMS, [SUMMARISE])
    assert to_bytes(list(ask.messages[:-1])) == to_bytes(PARENT["messages"])
    assert ask.messages[-1] == SUMMARISE
    assert mark_positions(ask.messages) == ((2, 0),)


def test_a_fork_that_writes_has_its_mark_on_the_last_message() -> None:
    ask = fork(PARAMS, [SUMMARISE], writes_cache=True)
    assert mark_positions(ask.messages) == ((3, 0),)
    assert ask.messages[-1]["content"] == [{"type": "text", "text": "Summarise.", "cache_control": HOUR}]
    assert bytes_of(ask.messages[:-1]) == bytes_of(PARENT["messages"])


def test_a_fork_never_sets_a_limit_of_its_own() -> None:
    assert fork(PARAMS, [SUMMARISE]).max_tokens == 32_001
    without = CacheSafeParams.of_request({**PARENT, "max_tokens": None})
    assert fork(without, [SUMMARISE]).max_tokens is None
    assert all(child.max_tokens == 32_001 for child in fork_children(PARAMS, ASSISTANT, ["a", "b"]))


def test_calls_that_nobody_answered_get_the_placeholder() -> None:
    ask = fork(PARAMS.extend(ASSISTANT), [SUMMARISE])
    assert [block["type"] for block in ask.messages[-1]["content"]] == ["tool_result", "tool_result", "text"]
    assert mark_positions(ask.messages) == ((3, 2),)


def test_children_differ_only_in_their_directive(server: MessagesServer) -> None:
    server.otherwise = Say("ok")
    for child in fork_children(PARAMS, ASSISTANT, ["first task", "second task", "third"]):
        model(server).ask(child)
    tasks = (b"first task", b"second task", b"third")
    parts = [request.body.partition(task) for request, task in zip(server.requests, tasks, strict=True)]
    assert len({(before, after) for before, _, after in parts}) == 1
    assert parts[0][0].endswith(to_bytes(directive(""))[:-1])
    assert parts[0][2] == b'"}]}],"stream":true}'


def test_children_have_the_whole_answer_and_an_identical_result_for_every_call() -> None:
    first, other = fork_children(PARAMS, ASSISTANT, ["a", "b"])
    for child in (first, other):
        assert bytes_of(child.messages[:3]) == bytes_of(PARENT["messages"])
        assert child.messages[3] == ASSISTANT
        results = remove_marks(child.messages)[4]["content"][:-1]
        assert results == [
            {"type": "tool_result", "tool_use_id": "toolu_a", "content": PLACEHOLDER},
            {"type": "tool_result", "tool_use_id": "toolu_b", "content": PLACEHOLDER},
        ]
        assert mark_positions(child.messages) == ((4, 1),)
    assert first.messages[4]["content"][:-1] == other.messages[4]["content"][:-1]
    assert first.messages[4]["content"][-1]["text"] == directive("a")


def test_children_of_an_answer_without_calls_are_marked_on_it() -> None:
    (child,) = fork_children(PARAMS, {"role": "assistant", "content": "Done."}, ["a"])
    assert mark_positions(child.messages) == ((3, 0),)
    assert child.messages[-1] == {"role": "user", "content": [{"type": "text", "text": directive("a")}]}


def test_a_child_cannot_fork_again() -> None:
    (child,) = fork_children(PARAMS, ASSISTANT, ["a"])
    params = PARAMS.extend(*child.messages[len(PARAMS.messages) :])
    assert is_fork(params.messages)
    with pytest.raises(ForkRefusedError):
        fork(params, [SUMMARISE])
    with pytest.raises(ForkRefusedError):
        fork_children(params, ASSISTANT, ["b"])


def test_a_text_that_quotes_the_tag_is_no_directive() -> None:
    quoting: list[Any] = [
        {"role": "user", "content": f"What does {TAG} mean?"},
        {"role": "assistant", "content": [{"type": "text", "text": f"{TAG} is a tag"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": TAG}]},
    ]
    assert not is_fork(quoting)


def test_stopping_the_parent_stops_its_children_and_not_the_other_way_round() -> None:
    token = CancelToken()
    first, other = fork_children(PARAMS, ASSISTANT, ["a", "b"], cancel=token)
    first.cancel.cancel()
    assert (token.is_cancelled, other.cancel.is_cancelled) == (False, False)
    token.cancel()
    assert other.cancel.is_cancelled


def test_the_direct_call_has_an_own_prompt_no_tools_no_thinking_and_a_limit() -> None:
    ask = direct("claude-test", "Summarise.", PARENT["messages"])
    assert (ask.max_tokens, ask.tools, ask.thinking, ask.betas) == (20_000, (), None, ())
    assert mark_positions(ask.messages) == ()
