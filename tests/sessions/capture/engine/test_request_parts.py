from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sessions.capture.engine import SentRequest, split_request
from sessions.capture.engine.packing import pack_numbers, unpack_numbers
from tests.sessions.capture.capturing import MARK, request

RESULT = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "a", "cache_control": MARK}]}
CALL = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"cache_control": "mine"}}


def rebuilt(body: dict[str, Any]) -> dict[str, Any]:
    parts = split_request(json.dumps(body).encode())
    system: Any = parts.system
    if system is not None and len(system) == 1 and isinstance(system[0], str):
        system = system[0]
    return SentRequest(1, parts.messages, system, parts.tools, parts.params, parts.marks).body()


def test_marks_are_told_apart_and_the_same_message_without_one_is_the_same() -> None:
    block = {"type": "text", "text": "Hi"}
    plain = split_request(json.dumps(request({"role": "user", "content": [block]})).encode())
    marked = split_request(
        json.dumps(request({"role": "user", "content": [{**block, "cache_control": MARK}]})).encode()
    )
    assert marked.messages == plain.messages
    assert marked.marks == ({"path": ["messages", 0, "content", 0], "value": MARK},)


def test_marks_are_found_in_the_system_prompt_in_tools_and_inside_results() -> None:
    body = request(
        {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": [RESULT]},
        system=[{"type": "text", "text": "You watch tides.", "cache_control": MARK}],
        tools=[{"name": "Bash"}, {"name": "Read", "cache_control": MARK}],
    )
    parts = split_request(json.dumps(body).encode())
    assert [mark["path"] for mark in parts.marks] == [
        ["system", 0],
        ["tools", 1],
        ["messages", 1, "content", 0, "content", 0],
    ]
    assert rebuilt(body) == body


def test_what_a_tool_was_called_with_is_no_mark() -> None:
    parts = split_request(json.dumps(request({"role": "assistant", "content": [CALL]})).encode())
    assert parts.marks == ()
    assert parts.messages[0]["content"] == [CALL]


def test_a_system_prompt_may_be_a_mere_string() -> None:
    body = request({"role": "user", "content": "Hi"}, system="You watch tides.")
    assert split_request(json.dumps(body).encode()).system == ("You watch tides.",)
    assert rebuilt(body) == body


def test_keys_of_other_servers_are_not_kept() -> None:
    server = {"type": "url", "url": "https://mcp.example", "authorization_token": "SECRET"}
    parts = split_request(json.dumps(request(mcp_servers=[server])).encode())
    assert parts.params["mcp_servers"] == [{**server, "authorization_token": "[not stored]"}]


def test_a_body_that_is_no_request_says_so() -> None:
    assert split_request(b"\xff\xfe").problem == "The body of the request is not JSON."
    assert split_request(b"[1]").problem == "The body of the request is not a JSON object."
    assert split_request(b'{"messages": "none", "model": 7}').params == {"messages": "none", "model": 7}


def test_half_characters_and_endless_numbers_are_kept() -> None:
    body = b'{"model":"m","messages":[{"role":"user","content":"\\ud800 %d"}],"n":%d}' % (10**30, 10**30)
    parts = split_request(body)
    assert parts.messages[0]["content"] == f"\ud800 {10**30}"
    assert parts.params["n"] == 10**30


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "content", "cache_control", "text"]), inner, max_size=3)
    ),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(["type", "content", "cache_control", "role", "name"]), JSON, max_size=4)


@given(
    st.fixed_dictionaries(
        {"messages": st.lists(OBJECTS, max_size=4)}, optional={"tools": st.lists(OBJECTS, max_size=3)}
    )
)
def test_any_request_can_be_put_together_again(body: dict[str, Any]) -> None:
    assert rebuilt(body) == body


@given(st.lists(st.integers(0, 2**40), max_size=300))
def test_lists_of_numbers_are_packed_and_unpacked(numbers: list[int]) -> None:
    assert unpack_numbers(pack_numbers(numbers)) == tuple(numbers)


def test_a_long_list_of_neighbours_takes_few_bytes() -> None:
    assert len(pack_numbers([7, 3, *range(1000, 2000)])) < 60
