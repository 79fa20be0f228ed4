"""Whatever happened to a transcript: every request has a context, and every entry is in it or has a reason."""

from __future__ import annotations

from hypothesis import given, settings

from sessions.context.engine import Log, context_at, contexts, digest_element
from sessions.context.engine.left_out import find_left_out
from tests.examples import examples
from tests.sessions.mutating import damaged
from tests.sessions.writing import Writing


@settings(max_examples=examples(30, share=10))
@given(damaged())
def test_every_context_of_a_damaged_transcript_can_be_made(data: bytes) -> None:
    log = Log(data)
    for context in contexts(log):
        assert context.tokens.total >= 0
        for element in context.elements:
            digest_element(element)


@settings(max_examples=examples(20, share=10))
@given(damaged())
def test_every_entry_of_a_damaged_transcript_is_sent_or_has_a_reason(data: bytes) -> None:
    log = Log(data)
    context = context_at(log)
    output = {item.position for item in find_left_out(context, log.rows, log.marks())}
    assert output | context.positions == {row.position for row in log.rows}


@settings(max_examples=30)
@given(damaged())
def test_one_context_is_the_same_as_in_the_walk_over_all(data: bytes) -> None:
    log = Log(data)
    walked = list(contexts(log))
    for context in walked[:: max(1, len(walked) // 3)]:
        if context.request and sum(item.request == context.request for item in walked) == 1:
            assert context_at(log, context.request).elements == context.elements


def test_a_parent_that_stands_after_its_children_is_found_in_both_ways() -> None:
    writing = Writing()
    first = writing.user("Is it high water yet?")
    writing.assistant("At noon.")
    writing.user("And tomorrow?")
    writing.assistant("An hour later.")
    late, *others = writing.lines()
    log = Log(b"".join([*others[:2], late, *others[2:]]))
    walked = list(contexts(log))
    assert walked[-1].messages[0].uuid == first
    assert context_at(log, walked[-1].request).elements == walked[-1].elements
