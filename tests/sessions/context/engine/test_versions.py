"""What differs between versions of the client, as recordings of them show it."""

from __future__ import annotations

from typing import Any

import pytest

from sessions.context.engine import context_at
from sessions.context.engine.left_out import LeftOutReason, find_left_out
from tests.sessions.context.engine.context_helpers import attach, call, following, last, log_of, texts, thought
from tests.sessions.context.engine.version_rows import TAKES_NONE, TAKES_SYSTEM, note
from tests.sessions.writing import Writing


def reason_of(writing: Writing, uuid: str) -> LeftOutReason:
    log = log_of(writing)
    position = next(index for index, record in enumerate(writing.records) if record["uuid"] == uuid)
    result = {item.position: item.reason for item in find_left_out(context_at(log), log.rows, log.marks())}
    return result[position]


def test_a_call_that_never_had_a_result_is_not_sent_once_the_conversation_went_on() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant("Looking.", message="m1")
    lost = writing.assistant(call("t1"), message="m1")
    writing.assistant(call("t2"), message="m1")
    writing.result("t2", "two")
    assert ("assistant", ["Looking.", "call t1", "call t2"]) in texts(following(writing))
    writing.user("Go on")
    writing.assistant("Yes.", message="m2")
    assert texts(last(writing)) == [
        ("user", ["Look"]),
        ("assistant", ["Looking.", "call t2"]),
        ("user", ["result t2: two", "Go on"]),
    ]
    assert reason_of(writing, lost) is LeftOutReason.UNSENT


def test_a_call_that_the_next_answer_follows_at_once_is_not_sent() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant("Looking.", call("t1"), message="m1")
    writing.assistant("Yes.", message="m2")
    writing.assistant("Still.", message="m3")
    assert ("assistant", ["Looking."]) in texts(last(writing))


@pytest.mark.parametrize(("version", "sent"), [("2.1.20", True), ("2.1.90", False), ("2.1.325", False)])
def test_thinking_that_was_interrupted_is_no_longer_sent(version: str, sent: bool) -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(thought(), message="m1", version=version)
    writing.user("[Request interrupted by user]")
    writing.assistant("Yes.", message="m2", version=version)
    assert (("assistant", ["thinking"]) in texts(last(writing))) is sent


@pytest.mark.parametrize(("version", "sent"), [("2.0.76", True), ("2.1.90", True), ("2.1.160", False), ("", False)])
def test_thinking_of_another_model_was_sent_by_older_versions(version: str, sent: bool) -> None:
    writing = Writing()
    writing.user("Look")
    thinking = writing.assistant(thought(), message="m1", version=version, model="claude-opus-4-5")
    writing.assistant("Done.", message="m1", version=version, model="claude-opus-4-5")
    writing.user("Again")
    writing.assistant("Yes.", message="m2", version=version, model="claude-sonnet-4-5")
    writing.user("And again")
    assert (("assistant", ["thinking", "Done."]) in texts(following(writing))) is sent
    if not sent:
        assert reason_of(writing, thinking) is LeftOutReason.UNSENT


@pytest.mark.parametrize(("version", "sent"), [("2.1.90", True), ("2.1.197", False)])
def test_texts_without_a_word_were_sent_by_older_versions(version: str, sent: bool) -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant("\n", message="m1", version=version)
    writing.assistant(call("t1"), message="m1", version=version)
    writing.result("t1", "one")
    writing.assistant("Done.", message="m2", version=version)
    assert (texts(last(writing))[1] == ("assistant", ["\n", "call t1"])) is sent


@pytest.mark.parametrize(("version", "given"), [("2.1.20", {}), ("2.1.160", {}), ("2.1.197", {"plan": "Wait."})])
def test_a_plan_is_sent_with_its_call_by_newer_versions(version: str, given: dict[str, str]) -> None:
    writing = Writing()
    writing.user("Plan")
    writing.assistant(call("t1", "ExitPlanMode", plan="Wait."), message="m1", version=version)
    writing.result("t1", "yes")
    writing.assistant("Done.", message="m2", version=version)
    assert last(writing).elements[1].pieces[0].block["input"] == given


@pytest.mark.parametrize(("entrypoint", "sent"), [("cli", False), ("sdk-cli", True), ("", True)])
def test_a_terminal_that_has_the_tool_for_plans_sends_none(entrypoint: str, sent: bool) -> None:
    parameters: dict[str, Any] = {"version": "2.1.197", "entrypoint": entrypoint}
    writing = Writing()
    writing.user("Plan", **parameters)
    writing.assistant(call("t1", "ExitPlanMode", plan="Wait."), message="m1", **parameters)
    writing.result("t1", "yes", **parameters)
    writing.assistant("Done.", message="m2", **parameters)
    assert last(writing).elements[1].pieces[0].block["input"] == ({"plan": "Wait."} if sent else {})


def test_where_the_plan_is_stands_at_the_end_of_plan_mode() -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    note(writing, version, "plan_mode_exit", planFilePath="/p.md", planExists=True)
    writing.assistant("Done.", message="m1", version=version, model=TAKES_SYSTEM)
    assert texts(last(writing))[1][1][0].endswith("The plan file is located at /p.md if you need to reference it.")


@pytest.mark.parametrize(("version", "begins"), [("2.1.20", "Your response was"), ("2.1.197", "Output token limit")])
def test_an_answer_that_was_cut_off_is_asked_to_go_on(version: str, begins: str) -> None:
    writing = Writing()
    writing.user("Tell")
    writing.assistant("Once", message="m1", version=version)
    writing.records[-1]["message"]["stop_reason"] = "max_tokens"
    assert texts(following(writing))[-1] == ("assistant", ["Once"])
    writing.assistant("upon a time", message="m2", version=version)
    role, words = texts(last(writing))[-1]
    assert (role, words[0].startswith(begins)) == ("user", True)


def test_an_answer_that_was_cut_off_is_known_by_the_report_of_it() -> None:
    writing = Writing()
    writing.user("Tell")
    writing.assistant("Once", message="m1", version="2.1.20")
    writing.assistant("API Error: too long", message="m2", isApiErrorMessage=True, apiError="max_output_tokens")
    writing.assistant("upon a time", message="m3", version="2.1.20")
    assert [role for role, _ in texts(last(writing))] == ["user", "assistant", "user"]


def test_a_version_that_writes_down_how_it_asked_is_taken_at_its_word() -> None:
    writing = Writing()
    writing.user("Tell")
    writing.assistant("Once", message="m1")
    writing.records[-1]["message"]["stop_reason"] = "max_tokens"
    writing.user("Output token limit hit.", isMeta=True)
    writing.assistant("upon a time", message="m2")
    assert texts(last(writing))[-1] == ("user", ["Output token limit hit."])


def test_models_that_do_not_take_the_role_are_told_by_the_user() -> None:
    writing = Writing()
    writing.user("Look")
    attach(writing, "date", "It is Monday.", role="system")
    writing.assistant(call("t1"), message="m1", model=TAKES_NONE)
    writing.result("t1", "one")
    attach(writing, "total_tokens_reminder", "Few are left.", role="system")
    writing.assistant("Done.", message="m2", model=TAKES_NONE)
    assert texts(last(writing)) == [
        ("user", ["<system-reminder>\nIt is Monday.\n</system-reminder>\n", "Look"]),
        ("assistant", ["call t1"]),
        ("user", ["result t1: one\n\n<system-reminder>\nFew are left.\n</system-reminder>"]),
    ]


def test_a_reminder_is_a_further_part_of_a_result_that_has_parts() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(call("t1"), message="m1", model=TAKES_NONE)
    parts = [{"type": "text", "text": "one"}]
    block = {"type": "tool_result", "tool_use_id": "t1", "content": parts}
    writing.row("user", message={"role": "user", "content": [block]})
    attach(writing, "total_tokens_reminder", "Few are left.", role="system")
    writing.assistant("Done.", message="m2", model=TAKES_NONE)
    content = last(writing).elements[-1].pieces[0].block["content"]
    assert [part["text"] for part in content] == ["one\n", "<system-reminder>\nFew are left.\n</system-reminder>"]


def test_a_prompt_that_was_queued_is_a_persons_whatever_role_it_is_told_in() -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant(call("t1"), message="m1", version=version, model=TAKES_SYSTEM)
    writing.result("t1", "one")
    note(writing, version, "queued_command", prompt="also this", commandMode="prompt")
    writing.assistant("Done.", message="m2", version=version, model=TAKES_SYSTEM)
    context = last(writing)
    assert texts(context)[-1][0] == "system"
    assert texts(context)[-1][1][0].startswith("The user sent a new message while you were working:\nalso this\n")
    assert context.tokens.user_text > 0


@pytest.mark.parametrize(("version", "within"), [("2.1.197", False), ("2.1.325", True)])
def test_a_note_on_a_result_of_several_parts(version: str, within: bool) -> None:
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant(call("t1"), message="m1", version=version, model=TAKES_NONE)
    parts = [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "one"}]}]
    writing.row("user", message={"role": "user", "content": parts}, version=version)
    if version == "2.1.197":
        note(writing, version, "skill_listing", content="- help")
    else:
        attach(writing, "skill_listing", "help", role="system")
    writing.assistant("Done.", message="m2", version=version, model=TAKES_NONE)
    pieces = last(writing).elements[-1].pieces
    assert len(pieces) == (1 if within else 2)


def test_what_was_said_to_have_an_answer_finished_is_gone_when_the_turn_is_over() -> None:
    version = "2.1.90"
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant("Cut", message="m1", version=version)
    writing.records[-1]["message"]["stop_reason"] = "max_tokens"
    writing.assistant("Went on.", message="m2", version=version)
    assert texts(last(writing))[-1][1][0].startswith("Output token limit hit.")
    writing.user("More", version=version)
    writing.assistant("Yes.", message="m3", version=version)
    assert "token limit" not in str(texts(last(writing)))


@pytest.mark.parametrize(
    ("version", "sent"),
    [
        ("2.1.197", [("user", ["Look"]), ("assistant", ["(no content)"]), ("user", ["More"])]),
        ("2.1.325", [("user", ["Look\n", "More"])]),
    ],
)
def test_an_answer_of_thoughts_alone_to_another_model(version: str, sent: list[tuple[str, list[str]]]) -> None:
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant(thought(), message="m1", version=version, model=TAKES_NONE)
    writing.user("More", version=version)
    writing.assistant("Yes.", message="m2", version=version, model="claude-sonnet-4-5")
    assert texts(last(writing)) == sent


@pytest.mark.parametrize(("version", "sent"), [("2.1.160", False), ("2.1.197", False), ("2.1.325", True)])
def test_a_plan_that_the_client_took_from_its_file(version: str, sent: bool) -> None:
    writing = Writing()
    writing.user("Plan", version=version)
    writing.assistant(
        call("t1", "ExitPlanMode", plan="# X", planFilePath="/p.md"), message="m1", version=version, model=TAKES_NONE
    )
    writing.result("t1", "approved")
    writing.assistant("Done.", message="m2", version=version, model=TAKES_NONE)
    given = last(writing).elements[1].pieces[0].block["input"]
    assert given == ({"plan": "# X", "planFilePath": "/p.md"} if sent else {})


@pytest.mark.parametrize("version", ["2.1.90", "2.1.197"])
def test_an_answer_without_a_word_is_gone_once_it_was_read_again(version: str) -> None:
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant(thought(), message="m1", version=version)
    writing.assistant("", message="m1", version=version)
    writing.user("More", version=version)
    writing.assistant("Yes.", message="m2", version=version)
    assert texts(last(writing))[1] == ("assistant", ["thinking", ""])
    writing.state("last-prompt", lastPrompt="More")
    writing.user("Again", version=version)
    writing.assistant("Still.", message="m3", version=version)
    assert ("assistant", ["thinking", ""]) not in texts(last(writing))


@pytest.mark.parametrize(("version", "sent"), [("2.1.90", ["", "\n"]), ("2.1.197", [""]), ("2.1.325", [])])
def test_which_texts_without_a_word_are_sent(version: str, sent: list[str]) -> None:
    writing = Writing()
    writing.user("Look", version=version)
    for words in ("", "\n", "Done."):
        writing.assistant(words, message="m1", version=version)
    writing.user("More", version=version)
    writing.assistant("Yes.", message="m2", version=version)
    assert texts(last(writing))[1] == ("assistant", [*sent, "Done."])


def test_a_row_whose_parent_was_never_written_follows_the_row_before_it() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(call("t1"), message="m1")
    writing.result("t1", "one")
    writing.assistant("Done.", message="m2", parent="a-hook-that-is-not-here")
    writing.user("Again", parent="another-one")
    writing.assistant("Yes.", message="m3")
    context = last(writing)
    assert texts(context) == [
        ("user", ["Look"]),
        ("assistant", ["call t1"]),
        ("user", ["result t1: one"]),
        ("assistant", ["Done."]),
        ("user", ["Again"]),
    ]
    assert any("gap" in sentence for sentence in context.unknown)
    assert context_at(log_of(writing), "m3").elements == context.elements
