"""Requests as the client itself logged them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sessions.context.engine import Exactness
from tests.sessions.context.engine.context_helpers import last, texts
from tests.sessions.writing import Writing


def hash_message(message: dict[str, Any]) -> str:
    words = json.dumps(message, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(words.encode()).hexdigest()


def message_of(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def blob(writing: Writing, message: dict[str, Any]) -> str:
    name = hash_message(message)
    writing.state("api-request-blob", hash=name, message=message)
    return name


def request(
    writing: Writing, name: str, tail: list[str], *, base: str | None = None, keep: int = 0, **fields: Any
) -> None:
    given = {"base": base} if base else {}
    source = fields.pop("querySource", "sdk")
    params = {"model": "claude-opus-5-5"}
    writing.state(
        "api-request",
        id=name,
        tail=tail,
        keep=keep,
        querySource=source,
        params=params,
        **given,
        shapeHash="shape",
        **fields,
    )


def first_turn(writing: Writing) -> list[str]:
    """A prompt that was sent with words of the client, and its answer."""
    writing.user("Look")
    query = blob(
        writing,
        message_of(
            "user",
            [{"type": "text", "text": "<system-reminder>Hi</system-reminder>"}, {"type": "text", "text": "Look"}],
        ),
    )
    request(writing, "r1", [query], cacheControl=[{"path": ["messages", 0], "value": {"type": "ephemeral"}}])
    writing.assistant("Seen.")
    return [query, hash_message(message_of("assistant", [{"type": "text", "text": "Seen."}]))]


def test_a_logged_request_is_recorded_word_for_word() -> None:
    writing = Writing()
    first_turn(writing)
    context = last(writing)
    assert context.exactness is Exactness.RECORDED
    assert texts(context) == [("user", ["<system-reminder>Hi</system-reminder>", "Look"])]
    assert context.setup.marks is not None
    assert context.unknown[-1].startswith("The definitions of the tools")


def test_what_the_log_does_not_hold_is_found_in_the_transcript_by_its_hash() -> None:
    writing = Writing()
    known = first_turn(writing)
    writing.user("More")
    request(writing, "r2", [known[1], hash_message(message_of("user", "More"))], base="r1", keep=1)
    writing.assistant("Yes.")
    context = last(writing)
    assert context.exactness is Exactness.RECORDED
    assert texts(context)[1:] == [("assistant", ["Seen."]), ("user", ["More"])]
    assert context.elements[2].pieces[0].message.position == 4
    assert all(piece.exact for element in context.elements for piece in element.pieces)


def test_a_message_whose_hash_no_longer_fits_is_found_by_its_place_and_called_uncertain() -> None:
    writing = Writing()
    writing.user("Look")
    request(writing, "r1", [hash_message(message_of("user", "Look"))])
    writing.assistant("Seen.")
    writing.user("More")
    request(writing, "r2", ["0" * 64, "1" * 64], base="r1", keep=1)
    writing.assistant("Yes.")
    context = last(writing)
    assert context.exactness is Exactness.RECORDED
    assert texts(context)[1:] == [("assistant", ["Seen."]), ("user", ["More"])]
    assert [piece.exact for element in context.elements for piece in element.pieces] == [True, False, False]
    assert any(sentence.startswith("The bytes of 2 blocks:") for sentence in context.unknown)


def test_a_request_whose_messages_cannot_be_found_is_reconstructed() -> None:
    writing = Writing()
    writing.user("Look")
    request(writing, "r1", ["0" * 64])
    writing.assistant("Seen.")
    context = last(writing)
    assert context.exactness is Exactness.RECONSTRUCTED
    assert texts(context) == [("user", ["Look"])]


def test_a_request_that_builds_on_an_unknown_one_is_reconstructed() -> None:
    writing = Writing()
    writing.user("Look")
    request(writing, "r2", [], base="gone", keep=3)
    writing.assistant("Seen.")
    assert last(writing).exactness is Exactness.RECONSTRUCTED


def test_the_log_of_an_earlier_request_does_not_speak_for_a_later_one() -> None:
    writing = Writing()
    first_turn(writing)
    writing.user("More")
    writing.assistant("Yes.")
    assert last(writing).exactness is Exactness.RECONSTRUCTED


def test_of_several_attempts_the_last_one_was_answered() -> None:
    writing = Writing()
    writing.user("Look")
    request(writing, "r1", [blob(writing, message_of("user", "first try"))])
    request(writing, "r2", [blob(writing, message_of("user", "Look"))])
    writing.assistant("Seen.")
    assert texts(last(writing)) == [("user", ["Look"])]


def test_errands_of_the_client_are_no_requests_of_the_conversation() -> None:
    writing = Writing()
    writing.user("Look")
    request(writing, "r1", [blob(writing, message_of("user", "Look"))])
    request(
        writing, "r2", [blob(writing, message_of("user", "Name this session"))], querySource="generate_session_title"
    )
    writing.assistant("Seen.")
    assert texts(last(writing)) == [("user", ["Look"])]


def test_the_shape_of_a_request_tells_its_system_prompt_and_tools() -> None:
    writing = Writing()
    shape = {"system": [{"type": "text", "text": "You are careful."}], "tools": [{"name": "Bash", "input_schema": {}}]}
    writing.state("api-request-shape", shapeHash="shape", shape=shape)
    first_turn(writing)
    context = last(writing)
    assert context.setup.tools is not None
    assert context.setup.tools[0]["name"] == "Bash"
    assert context.tokens.system == 6
    assert context.tokens.tools > 10
    assert context.unknown == ()
