"""Records of a transcript are repaired so that the array they make is valid."""

from __future__ import annotations

from uuid import UUID

from sessions.lint.engine import repair_messages
from sessions.lint.engine.repairs.calls import NO_RESULT
from sessions.lint.engine.repairs.ends import OPENING
from sessions.transcripts.engine.messages import Block, Message, MessageKind, join_messages, text_block
from tests.sessions.lint.engine.bodies import call, result, thought


def prompt(words: str) -> Message:
    return Message("user", (text_block(words),), MessageKind.PROMPT, words)


def answer(response: str, *blocks: Block) -> Message:
    return Message("assistant", blocks, MessageKind.ANSWER, f"{response} {blocks[0]['type']}", response)


def results(*blocks: Block) -> Message:
    return Message("user", blocks, MessageKind.RESULT, "results")


def test_a_placeholder_is_a_record_of_its_own() -> None:
    messages = [prompt("go"), answer("m", call("a")), prompt("stop")]
    records, repairs = repair_messages(messages)
    assert [record is message for record, message in zip(records[:2], messages[:2], strict=True)] == [True, True]
    added = records[2]
    assert (added.role, added.kind) == ("user", MessageKind.RESULT)
    assert added.content[0]["content"] == NO_RESULT
    assert records[3] is messages[2]
    assert len(repairs) == 1


def test_what_is_added_has_the_same_id_each_time() -> None:
    messages = [prompt("go"), answer("m", call("a"))]
    first, second = repair_messages(messages)[0][-1], repair_messages(messages)[0][-1]
    assert first == second
    assert UUID(first.uuid)


def test_results_between_the_records_of_one_answer_are_where_they_belong() -> None:
    messages = [
        *(prompt("go"), answer("m", thought()), answer("m", call("a")), answer("m", call("b")), results(result("a"))),
        *(answer("m", call("c")), results(result("b")), results(result("c"))),
    ]
    assert repair_messages(messages) == (messages, [])


def test_results_after_words_of_a_person_are_joined_before_them_anyway() -> None:
    messages = [prompt("go"), answer("m", call("a")), prompt("faster"), results(result("a"))]
    assert repair_messages(messages) == (messages, [])


def test_a_kept_result_without_its_call_goes() -> None:
    messages = [prompt("summary"), results(result("a")), answer("m", text_block("done"))]
    assert repair_messages(messages)[0] == [messages[0], messages[2]]


def test_a_record_that_loses_a_block_keeps_all_else() -> None:
    messages = [prompt("go"), answer("m", call("a")), results(result("a"), result("b"))]
    records, _ = repair_messages(messages)
    assert records[2].content == (result("a"),)
    assert records[2].uuid == "results"


def test_two_answers_whose_results_are_gone_stay_two() -> None:
    messages = [prompt("go"), answer("m", call("a")), answer("n", thought()), answer("n", text_block("done"))]
    roles = [message["role"] for message in join_messages(repair_messages(messages)[0])]
    assert roles == ["user", "assistant", "user", "assistant"]


def test_an_answer_that_comes_first_gets_an_injected_message_before_it() -> None:
    records, _ = repair_messages([answer("m", text_block("done"))])
    assert (records[0].kind, records[0].content) == (MessageKind.INJECTED, (text_block(OPENING),))


def test_records_without_content_are_no_matter() -> None:
    messages = [prompt("go"), Message("user", (), MessageKind.INJECTED, "nothing"), answer("m", text_block("done"))]
    assert repair_messages(messages) == (messages, [])


def test_the_last_answer_goes_only_when_it_would_be_refused() -> None:
    messages = [prompt("go"), answer("m", text_block("done"))]
    assert repair_messages(messages, model="claude-opus-5") == (messages, [])
    assert repair_messages(messages, model="claude-opus-5", sending=True)[0] == messages[:1]
