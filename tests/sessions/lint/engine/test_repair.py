"""Each repair changes as little as it can, and says what it did."""

from __future__ import annotations

from typing import Any

import pytest

from sessions.lint.engine import repair, repair_request
from sessions.lint.engine.repairs.blocks import NO_OUTPUT
from sessions.lint.engine.repairs.calls import NO_RESULT
from sessions.lint.engine.repairs.ends import OPENING
from tests.sessions.lint.engine.bodies import (
    BOUND,
    NEW,
    OLD,
    assistant,
    body,
    call,
    result,
    system,
    text,
    thought,
    user,
)


def placeholder(name: str) -> dict[str, Any]:
    return result(name, NO_RESULT, is_error=True)


def repair_array(*array: Any, **options: Any) -> list[Any]:
    return repair(list(array), **options)[0]


def test_an_unanswered_call_gets_a_placeholder_before_the_text() -> None:
    array = [user("go"), assistant(call("a"), call("b")), user(result("b"), "stop")]
    repaired, repairs = repair(array)
    assert repaired == [*array[:2], user(result("b"), placeholder("a"), "stop")]
    assert [(item.path, item.what) for item in repairs] == [
        ("messages[1].content[0]", "Added a placeholder for the result of this call.")
    ]


def test_a_call_at_the_end_gets_a_message_of_its_own() -> None:
    assert repair_array(user("go"), assistant(call("a"))) == [user("go"), assistant(call("a")), user(placeholder("a"))]


def test_between_two_answers_the_lost_message_is_put_back() -> None:
    array = [user("go"), assistant(call("a")), assistant("done"), user("and?")]
    assert repair_array(*array) == [*array[:2], user(placeholder("a")), *array[2:]]


def test_text_in_a_string_stays_behind_the_placeholder() -> None:
    repaired = repair_array(user("go"), assistant(call("a")), {"role": "user", "content": "stop"})
    assert repaired[2] == user(placeholder("a"), "stop")


def test_a_result_in_an_answer_goes_to_the_user_message_after_it() -> None:
    answer, results = assistant("ok", call("a"), call("b")), [result("a", "one"), result("b", "two")]
    right = [user("go"), answer, user(*results), assistant("done")]
    assert repair_array(user("go"), answer, assistant(*results, "done")) == right
    assert repair_array(user("go"), assistant("ok", call("a"), call("b"), *results), assistant("done")) == right


def test_a_result_that_its_call_does_not_need_is_left_out() -> None:
    array = [user("go"), assistant(call("a")), user(result("a", "one")), assistant(result("a", "two"), "done")]
    assert repair_array(*array) == [*array[:3], assistant("done")]


def test_ids_and_names_are_spelled_as_the_api_takes_them() -> None:
    calls = call("x:0"), {**call("x.0"), "name": "fs.Read"}
    (_, answer, results), repairs = repair(
        [user("go"), assistant(*calls), user(result("x.0", "b"), result("x:0", "a"))]
    )
    first, second = answer["content"]
    assert results == user(result(second["id"], "b"), result(first["id"], "a"))
    assert [item["id"].partition("-")[0] for item in (first, second)] == ["x_0", "x_0"]
    assert first["id"] != second["id"]
    assert (second["name"], repairs[1].what) == ("fs_Read", "Spelled the id and the name with other characters.")


@pytest.mark.parametrize(("given", "read"), [(None, {}), ("", {}), ('{"a": 1}', {"a": 1})])
def test_an_input_is_written_as_an_object(given: Any, read: Any) -> None:
    array = [user("go"), assistant({**call("a"), "input": given}), user(result("a"))]
    assert repair_array(*array) == [array[0], assistant({**call("a"), "input": read}), array[2]]


@pytest.mark.parametrize("given", ["words", "[1]", 3, '{"a": '])
def test_a_call_whose_input_is_none_is_left_out_with_its_result(given: Any) -> None:
    array = [user("go"), assistant("ok", {**call("a"), "input": given}), user(result("a"), "and?")]
    assert repair_array(*array) == [user("go"), assistant("ok"), user("and?")]


@pytest.mark.parametrize("impossible", [call(""), {**call("a"), "name": ""}, {**call("a"), "name": None}])
def test_calls_without_an_id_or_a_name_are_left_out_with_their_results(impossible: Any) -> None:
    array = [user("go"), assistant("ok", impossible), user(result(impossible["id"]), "and?")]
    assert repair_array(*array) == [user("go"), assistant("ok"), user("and?")]


def test_a_result_without_a_call_is_left_out() -> None:
    assert repair_array(user(result("a"), "go")) == [user("go")]


def test_a_message_of_such_results_goes_as_a_whole() -> None:
    assert repair_array(user("go"), assistant("ok"), user(result("a"))) == [user("go"), assistant("ok")]


def test_a_result_that_stands_elsewhere_is_moved_to_its_call() -> None:
    array = [user("go"), assistant(call("a")), user("wait"), assistant("ok"), user(result("a", "late"), "and?")]
    repaired, repairs = repair(array)
    assert repaired == [*array[:2], user(result("a", "late"), "wait"), assistant("ok"), user("and?")]
    assert [item.path for item in repairs] == ["messages[4].content[0]"]


def test_results_are_moved_before_text() -> None:
    array = [user("go"), assistant(call("a"), call("b")), user(result("b"), "look", result("a"))]
    assert repair_array(*array) == [*array[:2], user(result("b"), result("a"), "look")]


def test_results_are_moved_before_text_across_neighbours() -> None:
    array = [user("go"), assistant(call("a")), user("look"), user(result("a"), "and")]
    assert repair_array(*array) == [*array[:2], user(result("a"), "look"), user("and")]


def test_a_second_result_of_a_call_is_left_out() -> None:
    array = [user("go"), assistant(call("a")), user(result("a", "1"), result("a", "2"))]
    assert repair_array(*array) == [*array[:2], user(result("a", "1"))]


def test_a_repeated_call_is_left_out_with_its_result() -> None:
    round_trip = [assistant(call("a")), user(result("a"))]
    assert repair_array(user("go"), *round_trip, *round_trip, assistant("ok")) == [
        user("go"),
        *round_trip,
        assistant("ok"),
    ]


@pytest.mark.parametrize("empty", [user(), user(""), user(" \n"), {"role": "user", "content": ""}])
def test_empty_messages_are_left_out(empty: Any) -> None:
    assert repair_array(user("go"), assistant("ok"), empty, user("and?")) == [user("go"), assistant("ok"), user("and?")]


@pytest.mark.parametrize(
    "silent",
    [
        {"role": "system", "content": []},
        {"role": "system", "content": "", "output_config": {"effort": "low"}},
        {"role": "system", "output_config": {"effort": "low"}},
    ],
)
def test_system_messages_that_say_nothing_stay(silent: Any) -> None:
    array = [user("go"), silent, assistant("ok"), user("and?")]
    assert repair(array, model=NEW, sending=True) == (array, [])
    assert repair(array)[0] is array


def test_an_answer_that_was_refused_midway_is_continued_with_its_token() -> None:
    request = body(user("go"), assistant("The answer is"))
    assert repair_request(request)[0]["messages"] == [user("go")]
    continued = {**request, "fallback_credit_token": "token"}
    assert repair_request(continued) == (continued, [])


def test_a_summary_without_a_word_is_left_out() -> None:
    failed, empty = {"type": "compaction", "content": None}, {"type": "compaction", "content": ""}
    array = [user("go"), assistant(failed, "ok"), user("and?")]
    assert repair(array)[0] is array
    assert repair_array(user("go"), assistant(empty, "ok"), user("and?")) == [user("go"), assistant("ok"), user("and?")]


def test_empty_texts_are_left_out() -> None:
    assert repair_array(user("go", "")) == [user("go")]
    array = [user("go"), assistant(call("a"))]
    assert repair_array(*array, user(result("a", [text(""), text("x")]))) == [*array, user(result("a", [text("x")]))]


def test_an_error_without_words_gets_some() -> None:
    array = [user("go"), assistant(call("a"))]
    assert repair_array(*array, user(result("a", "", is_error=True))) == [
        *array,
        user(result("a", NO_OUTPUT, is_error=True)),
    ]


def test_a_user_message_comes_first() -> None:
    assert repair_array(assistant("hi"), user("go")) == [user(OPENING), assistant("hi"), user("go")]


def test_a_user_message_comes_first_even_when_nothing_is_left() -> None:
    assert repair_array() == [user(OPENING)]
    assert repair_array(user("")) == [user(OPENING)]


def test_a_begun_answer_stays_unless_it_is_sent_to_a_model_that_refuses_it() -> None:
    array = [user("go"), assistant("The answer is")]
    assert (
        repair_array(*array)
        == repair_array(*array, model=NEW)
        == repair_array(*array, model=OLD, sending=True)
        == array
    )
    assert repair_array(*array, model="somebody-elses", sending=True) == array
    assert repair_array(*array, model=NEW, sending=True) == [user("go")]


def test_a_begun_answer_loses_its_last_blanks() -> None:
    array = [user("go"), assistant("The answer is ")]
    assert repair_array(*array, model=OLD, sending=True) == [user("go"), assistant("The answer is")]


def test_unsigned_and_trailing_thinking_is_left_out() -> None:
    array = [user("go"), assistant(thought(signature=""), "ok", thought()), user("and?")]
    assert repair_array(*array) == [user("go"), assistant("ok"), user("and?")]


def test_an_answer_that_only_thought_goes() -> None:
    assert repair_array(user("go"), assistant(thought()), user("hello?")) == [user("go"), user("hello?")]


def test_dead_thinking_is_left_out() -> None:
    before = [user("go"), assistant(thought("one"), "ok"), user("and?"), assistant(thought("two"), "so"), user("on")]
    after = [user("go"), assistant(thought("one"), "ok"), assistant(thought("two"), "so"), user("on")]
    assert repair_array(*after, model=BOUND, before=before) == [*after[:2], assistant("so"), user("on")]


def test_thinking_that_the_repair_itself_would_kill_is_left_out() -> None:
    array = [user("go"), assistant(call("a")), assistant(thought("one"), "ok"), user("and?")]
    repaired = repair_array(*array, model=BOUND, before=array)
    assert repaired == [*array[:2], user(placeholder("a")), assistant("ok"), user("and?")]


def test_a_result_of_a_server_tool_without_its_call_is_left_out() -> None:
    stray = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    assert repair_array(user("go"), assistant(stray, "done"), user("so")) == [user("go"), assistant("done"), user("so")]


def test_a_result_whose_call_a_user_would_have_made_is_left_out() -> None:
    used = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    answer = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    assert repair_array(user(used, "go"), assistant(answer, "done")) == [user("go"), assistant("done")]


def test_what_is_no_message_is_left_out() -> None:
    array: list[Any] = [None, user("go", 3, {"text": "x"}), {"role": "tool", "content": "x"}, {"role": "user"}]
    assert repair_array(*array) == [user("go")]


def test_other_keys_of_a_message_stay() -> None:
    assert repair_array({**user("go", ""), "id": "x"}) == [{**user("go"), "id": "x"}]


def test_messages_that_need_no_change_are_the_same_objects() -> None:
    array = [user("go"), system("be brief"), assistant("ok"), user("", "and?")]
    repaired, _ = repair(array)
    assert [item is other for item, other in zip(repaired, array, strict=True)] == [True, True, True, False]


def test_the_array_that_was_given_is_not_changed() -> None:
    array = [user("look", result("a")), assistant(call("a")), user("", "and?")]
    repair(array)
    assert array == [user("look", result("a")), assistant(call("a")), user("", "and?")]


def test_a_body_is_repaired_for_the_model_that_it_names() -> None:
    request = body(user("go"), assistant("The answer is"))
    repaired, repairs = repair_request(request)
    assert repaired == body(user("go"))
    assert len(repairs) == 1
    assert repair_request(repaired)[0] is repaired


def test_a_body_whose_system_prompt_changed_loses_its_thinking() -> None:
    before = body(user("go"), assistant(thought(), "ok"), user("and?"), system="be kind")
    repaired, _ = repair_request({**before, "system": "be brief"}, BOUND, before=before)
    assert repaired["messages"] == [user("go"), assistant("ok"), user("and?")]
