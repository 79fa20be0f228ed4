"""The rules by which the client makes an array of its records."""

from __future__ import annotations

import pytest

from sessions.context.engine import Exactness, context_at, contexts
from sessions.transcripts.engine.messages import MessageKind
from tests.sessions.context.engine.context_helpers import attach, call, following, last, log_of, texts, thought
from tests.sessions.writing import MODEL, Writing


def test_records_of_one_answer_are_one_element() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(thought(), message="m1")
    writing.assistant("Looking.", message="m1")
    writing.assistant(call("t1"), message="m1")
    writing.result("t1", "ok")
    writing.assistant("Done.", message="m2")
    assert texts(last(writing)) == [
        ("user", ["Look"]),
        ("assistant", ["thinking", "Looking.", "call t1"]),
        ("user", ["result t1: ok"]),
    ]


def test_results_of_parallel_calls_go_into_one_element_in_the_order_of_the_file() -> None:
    writing = Writing()
    writing.user("Look")
    first = writing.assistant(call("t1"), message="m1")
    second = writing.assistant(call("t2"), message="m1")
    writing.result("t2", "two", parent=second)
    writing.result("t1", "one", parent=first)
    writing.assistant("Done.", message="m2")
    assert texts(last(writing))[1:] == [
        ("assistant", ["call t1", "call t2"]),
        ("user", ["result t2: two", "result t1: one"]),
    ]


def test_results_of_a_record_that_makes_several_calls_are_found_beside_the_chain() -> None:
    writing = Writing()
    writing.user("Look")
    request = writing.assistant("Looking.", call("t1"), call("t2"), call("t3"), message="m1")
    first = writing.result("t1", "one", parent=request)
    writing.result("t2", "two", parent=request)
    writing.result("t3", "three", parent=request)
    writing.assistant("Done.", message="m2", parent=first)
    assert texts(last(writing))[1:] == [
        ("assistant", ["Looking.", "call t1", "call t2", "call t3"]),
        ("user", ["result t1: one", "result t2: two", "result t3: three"]),
    ]


def test_results_between_the_records_of_an_answer_follow_the_whole_of_it() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(call("t1"), message="m1")
    writing.result("t1", "one")
    writing.assistant(call("t2"), message="m1")
    writing.result("t2", "two")
    writing.assistant("Done.", message="m2")
    assert texts(last(writing))[1:] == [
        ("assistant", ["call t1", "call t2"]),
        ("user", ["result t1: one", "result t2: two"]),
    ]


def test_a_result_that_comes_late_stands_with_its_call_and_is_sent_once() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(call("t1"), message="m1")
    writing.assistant(call("t2"), message="m2")
    writing.result("t2", "two")
    writing.result("t1", "one")
    writing.assistant("Done.", message="m3")
    assert texts(last(writing))[1:] == [
        ("assistant", ["call t1"]),
        ("user", ["result t1: one"]),
        ("assistant", ["call t2"]),
        ("user", ["result t2: two"]),
    ]


def test_an_answer_that_is_interrupted_by_another_is_sent_once() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant("One.", message="m1")
    writing.assistant("Two.", message="m2")
    writing.assistant("One again.", message="m1")
    writing.user("More")
    assert texts(following(writing))[1:3] == [("assistant", ["One.", "One again."]), ("assistant", ["Two."])]


def test_what_hangs_on_a_result_beside_the_chain_is_sent_too() -> None:
    writing = Writing()
    writing.user("Look")
    first = writing.assistant(call("t1"), message="m1")
    second = writing.assistant(call("t2"), message="m1")
    item = writing.result("t1", "one", parent=first)
    attach(writing, "hook_additional_context", "lint: ok", parent=item)
    writing.result("t2", "two", parent=second)
    writing.assistant("Done.", message="m2")
    assert texts(last(writing))[-1][1] == [
        "result t1: one",
        "result t2: two",
        "<system-reminder>\nlint: ok\n</system-reminder>",
    ]


def test_an_error_of_the_api_is_not_sent_and_prompts_around_it_are_one_element() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant("API Error: 529", isApiErrorMessage=True, model="<synthetic>")
    writing.user("Again")
    writing.assistant("Done.")
    assert texts(last(writing)) == [("user", ["Look\n", "Again"])]


def test_attachments_of_the_user_role_stand_before_the_persons_words() -> None:
    writing = Writing()
    writing.user("Look")
    attach(writing, "instructions", "Keep functions pure.")
    attach(writing, "session_context", "branch: main")
    writing.assistant("Done.")
    assert texts(last(writing)) == [
        (
            "user",
            [
                "<system-reminder>\nKeep functions pure.\n</system-reminder>",
                "<system-reminder>\nbranch: main\n</system-reminder>\n",
                "Look",
            ],
        )
    ]


def test_attachments_of_the_system_role_become_one_message_without_tags() -> None:
    writing = Writing()
    writing.user("Look")
    attach(writing, "environment", "You are on Linux.", role="system")
    attach(writing, "queued_command", "One.", "Two.", role="system")
    writing.assistant("Done.")
    assert texts(last(writing))[1] == ("system", ["You are on Linux.\n\nOne.\nTwo."])


def test_an_attachment_told_in_parts_after_an_answer_begins_an_element_of_its_own() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant("Done.")
    attach(writing, "file", "Called Read.", "Result of Read.")
    writing.user("More")
    writing.assistant("Yes.")
    assert texts(last(writing))[2:] == [
        ("user", ["<system-reminder>\nCalled Read.\n</system-reminder>"]),
        ("user", ["<system-reminder>\nResult of Read.\n</system-reminder>\n", "More"]),
    ]


def test_an_attachment_without_words_is_not_sent_by_a_version_that_writes_them() -> None:
    writing = Writing()
    writing.user("Look")
    writing.row("attachment", attachment={"type": "session_context", "content": "kept to itself"})
    writing.assistant("Done.")
    assert texts(last(writing)) == [("user", ["Look"])]


def test_an_attachment_of_an_older_version_is_shown_and_its_wording_is_called_unknown() -> None:
    writing = Writing()
    writing.user("Look", version="2.1.90")
    writing.row(
        "attachment",
        attachment={"type": "nested_memory", "path": "/a/CLAUDE.md", "content": "Be brief."},
        version="2.1.90",
    )
    writing.assistant("Done.", version="2.1.90")
    context = last(writing)
    assert "Be brief." in texts(context)[0][1][0]
    assert any("wording of 1 attachment:" in sentence for sentence in context.unknown)


def test_hook_output_of_an_older_version_is_sent_for_the_events_that_speak_to_the_model() -> None:
    writing = Writing()
    for event in ("SessionStart", "Stop"):
        hook = {"type": "hook_success", "hookEvent": event, "hookName": event, "content": f"from {event}"}
        writing.row("attachment", attachment=hook, version="2.1.90")
    writing.user("Look", version="2.1.90")
    writing.assistant("Done.", version="2.1.90")
    whole = str(texts(last(writing)))
    assert "from SessionStart" in whole
    assert "from Stop" not in whole


def test_what_a_command_printed_is_sent_where_the_command_is() -> None:
    writing = Writing()
    writing.user("<local-command-caveat>Caveat</local-command-caveat>", isMeta=True)
    writing.user("<command-name>/cost</command-name>")
    writing.row("system", subtype="local_command", content="<local-command-stdout>$1</local-command-stdout>")
    writing.user("Look")
    writing.assistant("Done.")
    assert texts(last(writing))[0][1][2] == "<local-command-stdout>$1</local-command-stdout>\n"


@pytest.mark.parametrize(
    ("version", "sent"), [("2.0.76", False), ("2.1.20", False), ("2.1.90", True), ("2.1.325", True)]
)
def test_a_command_that_the_client_ran_itself_is_told_by_newer_versions(version: str, sent: bool) -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant("Done.", version=version)
    writing.row("system", subtype="local_command", content="<command-name>/rename</command-name>")
    writing.row("system", subtype="local_command", content="<local-command-stdout>foo</local-command-stdout>")
    writing.user("More")
    writing.assistant("Yes.", version=version)
    output = ["<command-name>/rename</command-name>\n", "<local-command-stdout>foo</local-command-stdout>\n"]
    assert texts(last(writing))[-1] == ("user", [*output, "More"] if sent else ["More"])


def test_what_a_command_printed_for_the_person_alone_is_not_sent() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant("Done.")
    writing.row("system", subtype="local_command", content="<command-name>/context</command-name>")
    art = "<local-command-stdout>art</local-command-stdout>"
    writing.row("system", subtype="local_command", content=art, isDisplayOnly=True)
    writing.user("## Context Usage", isMeta=True)
    writing.user("More")
    writing.assistant("Yes.")
    assert texts(last(writing))[-1][1] == ["<command-name>/context</command-name>\n", "## Context Usage\n", "More"]


def test_thinking_of_another_model_is_left_out() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(thought(), message="m1", model="claude-opus-5-5")
    writing.assistant("Seen.", message="m1", model="claude-opus-5-5")
    writing.user("More")
    writing.assistant("Yes.", model="claude-haiku-5-5")
    assert texts(last(writing))[1] == ("assistant", ["Seen."])
    writing.user("Back")
    writing.assistant("Here.", model="claude-opus-5-5")
    assert texts(last(writing))[1] == ("assistant", ["thinking", "Seen."])


def test_tools_that_were_looked_up_are_said_to_be_loaded() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(call("t1", "ToolSearch"), message="m1")
    blocks = [{"type": "tool_reference", "tool_name": "WebFetch"}]
    writing.row(
        "user", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": blocks}]}
    )
    writing.assistant("Done.")
    assert texts(last(writing))[-1][1][-1] == "Tool loaded."


def test_nothing_stands_between_the_results_of_parallel_calls() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(call("t1", "ToolSearch"), message="m1")
    writing.assistant(call("t2"), message="m1")
    blocks = [{"type": "tool_reference", "tool_name": "WebFetch"}]
    result = {"type": "tool_result", "tool_use_id": "t1", "content": blocks}
    writing.row("user", message={"role": "user", "content": [result]})
    writing.result("t2", "two")
    writing.assistant("Done.")
    pieces = texts(last(writing))[-1][1]
    assert pieces[1:] == ["result t2: two", "Tool loaded."]


def test_an_interrupted_turn_is_sent_as_it_is() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(call("t1"), message="m1")
    writing.result("t1", "[Request interrupted by user for tool use]", error=True)
    writing.user("[Request interrupted by user for tool use]")
    writing.user("Rather that")
    writing.assistant("Done.")
    context = last(writing)
    assert texts(context)[-1][1] == [
        "result t1: [Request interrupted by user for tool use]",
        "[Request interrupted by user for tool use]\n",
        "Rather that",
    ]
    kinds = [piece.message.kind for piece in context.elements[-1].pieces]
    assert kinds == [MessageKind.RESULT, MessageKind.INJECTED, MessageKind.PROMPT]


def test_words_typed_while_the_model_worked_are_a_persons() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant(call("t1"), message="m1")
    writing.result("t1", "ok")
    attachment = {"type": "queued_command", "prompt": "and the tests", "commandMode": "prompt"}
    rendered = [{"content": "<system-reminder>\nThe user says: and the tests\n</system-reminder>"}]
    writing.row("attachment", attachment=attachment, rendered=rendered)
    writing.assistant("Done.")
    context = last(writing)
    assert context.elements[-1].pieces[-1].message.kind is MessageKind.PROMPT
    assert context.tokens.user_text > 20


def test_only_an_answer_follows_what_the_role_system_says() -> None:
    """Where one is left out, what the user says after it goes before."""
    writing = Writing()
    writing.user("Look")
    attach(writing, "date", "It is May.", role="system")
    writing.assistant(thought(), message="m1")
    writing.user("Well?")
    attach(writing, "date", "It is June.", role="system")
    writing.assistant("Seen.", message="m2")
    assert texts(last(writing)) == [("user", ["Look\n", "Well?"]), ("system", ["It is May.\n\nIt is June."])]


@pytest.mark.parametrize(
    ("came", "sent"),
    [
        ("t a 1 b", "t a b 1"),
        ("1 a 2", "a 1 2"),
        ("1 2 t", "t 1 2"),
        ("t a 1 t 2", "t a t 1 2"),
        ("a t 1 t 2", "a t 1 t 2"),
        ("t 1 t a 2 b", "t 1 t a 2 b"),
        ("1 t 2 t a", "t 1 2 t a"),
        ("t 1 a t 2 b", "t a t b 1 2"),
    ],
)
def test_what_came_after_a_call_is_sent_before_it(came: str, sent: str) -> None:
    """Except for a thought that would then follow another, and what comes after that."""
    writing = Writing()
    writing.user("Look")
    for name in came.split():
        block = thought() if name == "t" else call(name) if name.isdigit() else name
        writing.assistant(block, message="m1")
    for name in filter(str.isdigit, came.split()):
        writing.result(name, "ok")
    writing.assistant("Done.", message="m2")
    text = texts(last(writing))[1][1]
    assert [part.removeprefix("call ").replace("thinking", "t") for part in text] == sent.split()


def test_empty_texts_of_an_answer_are_not_sent() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant("\n\n", message="m1")
    writing.assistant("Done.", message="m1")
    writing.user("More")
    assert texts(following(writing))[1] == ("assistant", ["Done."])


def test_what_is_shown_to_the_person_only_is_not_sent() -> None:
    writing = Writing()
    writing.user("Look")
    writing.user("for your eyes", isVisibleInTranscriptOnly=True)
    writing.assistant("Done.")
    assert texts(last(writing)) == [("user", ["Look"])]


def test_a_context_without_a_log_says_what_it_cannot_know() -> None:
    writing = Writing()
    writing.user("Look")
    writing.assistant("Done.")
    context = last(writing)
    assert context.exactness is Exactness.RECONSTRUCTED
    assert [sentence.split(":")[0] for sentence in context.unknown[:2]] == [
        "The system prompt",
        "The definitions of the tools",
    ]


def test_a_snapshot_of_the_prompt_tells_the_system_prompt() -> None:
    writing = Writing()
    writing.row("attachment", attachment={"type": "prompt_snapshot", "systemPrompt": ["You are careful."]})
    writing.user("Look")
    writing.assistant("Done.")
    context = last(writing)
    assert context.setup.system == ({"type": "text", "text": "You are careful."},)
    assert context.tokens.system == 6
    assert not any("system prompt" in sentence for sentence in context.unknown)


def test_a_snapshot_tells_nothing_of_what_an_older_client_sent() -> None:
    writing = Writing()
    writing.row("attachment", attachment={"type": "prompt_snapshot", "systemPrompt": ["You are careful."]})
    writing.user("Look")
    writing.assistant("Done.", version="2.1.90")
    assert last(writing).setup.system is None


def test_an_answer_that_the_client_wrote_itself_came_from_no_request() -> None:
    writing = Writing()
    writing.user("ask one")
    writing.assistant("say one", message="msg_one")
    writing.user("ask two")
    writing.assistant("No response requested.", message="written-here", model="<synthetic>")
    log = log_of(writing)
    assert [context.request for context in contexts(log)] == ["msg_one"]
    assert context_at(log).model == MODEL
