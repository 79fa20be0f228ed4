"""Rows that stand where they do not belong: written late, written twice, or hung on the wrong row."""

from __future__ import annotations

from typing import Any

from sessions.context.engine import Context, Exactness, Log, context_at, contexts
from tests.sessions.context.engine.context_helpers import call, last, texts
from tests.sessions.context.engine.test_request_log import blob, hash_message, message_of, request
from tests.sessions.writing import Writing, line


def contexts_after_move(writing: Writing, position: int, to: int) -> list[Context]:
    """The contexts, if one record had been written later."""
    records = list(writing.records)
    records.insert(to, records.pop(position))
    log = Log(b"".join(map(line, records)))
    walked = list(contexts(log))
    assert [context_at(log, context.request).elements for context in walked] == [context.elements for context in walked]
    return walked


def test_an_answer_that_was_written_before_its_prompt_was_made_of_it() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant("Seen.", message="m1")
    writing.user("More")
    writing.assistant("Yes.", message="m2")
    first, second = contexts_after_move(writing, 0, 1)
    assert texts(first) == [("user", ["Look"])]
    assert texts(second) == [("user", ["Look"]), ("assistant", ["Seen."]), ("user", ["More"])]


def test_a_result_that_was_written_before_its_call_is_sent_with_the_others() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(call("t1"), message="m1")
    both = writing.assistant(call("t2"), message="m1")
    writing.result("t1", "one", parent=both)
    writing.result("t2", "two", parent=both)
    writing.assistant("Done.", message="m2")
    walked = contexts_after_move(writing, 3, 0)[-1]
    assert texts(walked)[1:] == [("assistant", ["call t1", "call t2"]), ("user", ["result t1: one", "result t2: two"])]


def test_the_log_of_a_request_that_was_written_after_the_answer_is_found_by_its_name() -> None:
    writing = Writing()
    writing.user("Look")
    query = blob(writing, message_of("user", [{"type": "text", "text": "Look, with words of the client"}]))
    request(writing, "r1", [query])
    writing.assistant("Seen.", message="m1", requestRef="r1")
    answered = hash_message(message_of("assistant", [{"type": "text", "text": "Seen."}]))
    writing.user("More")
    more = blob(writing, message_of("user", [{"type": "text", "text": "More, in other words"}]))
    request(writing, "r2", [answered, more], base="r1", keep=1)
    writing.assistant("Yes.", message="m2", requestRef="r2")
    first, second = contexts_after_move(writing, 2, 3)
    assert first.exactness is second.exactness is Exactness.RECORDED
    assert texts(first) == [("user", ["Look, with words of the client"])]
    assert texts(second)[-1] == ("user", ["More, in other words"])


def test_an_answer_takes_the_request_that_it_names_and_not_the_latest() -> None:
    writing = Writing()
    writing.user("Look")
    query = blob(writing, message_of("user", [{"type": "text", "text": "mine"}]))
    other = blob(writing, message_of("user", [{"type": "text", "text": "of another"}]))
    request(writing, "r1", [query])
    request(writing, "r2", [other])
    writing.assistant("Seen.", message="m1", requestRef="r1")
    assert texts(last(writing)) == [("user", ["mine"])]


def test_of_an_answer_that_was_written_twice_one_is_sent() -> None:
    """A resumed session parts a prompt with a picture into two rows, and writes all that followed it once more."""
    writing = Writing()
    start = writing.user("Start")
    writing.user("See this")
    writing.assistant("Seen.", message="m1")
    writing.assistant(call("t1"), message="m1")
    writing.result("t1", "one")
    writing.assistant("Done.", message="m2")
    writing.user("See this", parent=start)
    writing.assistant("Seen.", message="m1")
    writing.assistant(call("t1"), message="m1")
    writing.result("t1", "one")
    writing.assistant("Done.", message="m2")
    writing.user("More")
    writing.assistant("Yes.", message="m3")
    assert texts(last(writing)) == [
        ("user", ["Start\n", "See this"]),
        ("assistant", ["Seen.", "call t1"]),
        ("user", ["result t1: one"]),
        ("assistant", ["Done."]),
        ("user", ["More"]),
    ]


def compact(writing: Writing, **metadata: Any) -> tuple[str, str]:
    """The uuids of the last row before the boundary, and of the boundary."""
    before = writing.leaf or ""
    compact = {"trigger": "auto", "preTokens": 1, **metadata}
    row = writing.row("system", subtype="compact_boundary", parent=None, content="Compacted", compactMetadata=compact)
    return before, row


def summary(writing: Writing, parent: str, **fields: Any) -> str:
    return writing.user("Continued: all of it", parent=parent, isCompactSummary=True, **fields)


def test_an_answer_that_hangs_on_what_was_compacted_away_was_made_of_the_summary() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(call("t1"), message="m1")
    writing.result("t1", "one")
    before, boundary = compact(writing)
    answer = writing.assistant("Done.", message="m2", parent=before)
    summary(writing, boundary)
    writing.user("More", parent=answer)
    writing.assistant("Yes.", message="m3")
    first, second, third = contexts_after_move(writing, 0, 0)
    assert texts(first) == [("user", ["Look"])]
    assert texts(second) == [("user", ["Continued: all of it"])]
    assert texts(third) == [*texts(second), ("assistant", ["Done."]), ("user", ["More"])]


def test_going_back_behind_a_boundary_brings_back_what_stood_there() -> None:
    writing = Writing()
    writing.user("Look")
    old = writing.assistant("Seen.", message="m1")
    _, boundary = compact(writing)
    summary(writing, boundary)
    writing.user("More")
    writing.assistant("Done.", message="m2")
    writing.user("Otherwise", parent=old)
    writing.assistant("Yes.", message="m3")
    assert texts(last(writing)) == [("user", ["Look"]), ("assistant", ["Seen."]), ("user", ["Otherwise"])]


def test_a_summary_that_was_written_after_the_next_answer_stands_before_what_was_kept() -> None:
    writing = Writing()
    writing.user("Old")
    writing.assistant("Gone.", message="m1")
    prompt = writing.user("Look")
    anchor = "aaaaaaaa-0000-4000-8000-000000000000"
    kept = {"anchorUuid": anchor, "uuids": [prompt]}
    _, boundary = compact(writing, preservedMessages=kept)
    writing.assistant("Done.", message="m2", parent=prompt)
    summary(writing, boundary, uuid=anchor)
    assert texts(contexts_after_move(writing, 0, 0)[-1]) == [("user", ["Continued: all of it\n", "Look"])]
