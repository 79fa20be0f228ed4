"""What hooks say, as versions tell it that keep the facts of an attachment alone."""

from __future__ import annotations

import pytest

from tests.sessions.context.engine.context_helpers import call, last, texts
from tests.sessions.context.engine.version_rows import TAKES_NONE, TAKES_SYSTEM, note
from tests.sessions.writing import Writing


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure"])
def test_what_hooks_add_to_a_result_stands_with_it(event: str) -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant(call("t1"), message="m1", version=version, model=TAKES_SYSTEM)
    writing.result("t1", "one")
    watched = {"hookName": f"{event}:Bash", "hookEvent": event}
    note(writing, version, "hook_additional_context", content=["extra"], **watched)
    writing.assistant("Done.", message="m2", version=version, model=TAKES_SYSTEM)
    words = f"{event}:Bash hook additional context: extra"
    text = f"<system-reminder>\n{words}\n</system-reminder>"
    assert texts(last(writing))[-1] == ("user", ["result t1: one", text])
    writing.user("More", version=version)
    writing.assistant("Yes.", message="m3", version=version, model=TAKES_SYSTEM)
    assert texts(last(writing))[2:4] == [("user", ["result t1: one"]), ("system", [words])]
    writing.assistant("Yes.", message="m4", version=version, model=TAKES_NONE)
    assert texts(last(writing))[2] == ("user", ["result t1: one", text])


def test_what_hooks_add_to_a_result_is_a_message_of_its_own_from_2_1_228_on() -> None:
    version = "2.1.228"
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant(call("t1"), message="m1", version=version, model=TAKES_SYSTEM)
    writing.result("t1", "one")
    error = {"blockingError": "no", "command": "check"}
    watched = {"hookName": "PostToolUse:Bash", "hookEvent": "PostToolUse"}
    note(writing, version, "hook_blocking_error", blockingError=error, **watched)
    writing.assistant("Done.", message="m2", version=version, model=TAKES_SYSTEM)
    words = 'PostToolUse:Bash hook blocking error from command: "check": no'
    assert texts(last(writing))[2:] == [("user", ["result t1: one"]), ("system", [words])]


@pytest.mark.parametrize("model", [TAKES_SYSTEM, TAKES_NONE])
def test_what_a_hook_objects_to_the_end_of_a_turn_is_told_again_afterwards(model: str) -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant("Seen.", message="m1", version=version, model=model)
    writing.user("Stop hook feedback:\ngo on", version=version, isMeta=True)
    error = {"blockingError": "go on", "command": "check"}
    note(writing, version, "hook_blocking_error", hookName="Stop", hookEvent="Stop", blockingError=error)
    writing.assistant("All of it.", message="m2", version=version, model=model)
    assert texts(last(writing))[2:] == [("user", ["Stop hook feedback:\ngo on"])]
    writing.user("More", version=version)
    writing.assistant("Yes.", message="m3", version=version, model=model)
    words = 'Stop hook blocking error from command: "check": go on'
    assert words in "".join(text for _, message in texts(last(writing)) for text in message)


def test_what_hooks_add_to_a_prompt_goes_with_the_messages_of_the_role_system() -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    watched = {"hookName": "UserPromptSubmit", "hookEvent": "UserPromptSubmit"}
    note(writing, version, "hook_additional_context", content=["extra"], **watched)
    writing.assistant("Done.", message="m1", version=version, model=TAKES_SYSTEM)
    words = "UserPromptSubmit hook additional context: extra"
    assert texts(last(writing)) == [("user", ["Look"]), ("system", [words])]


def test_a_hook_that_ended_the_turn_is_told_of() -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    watched = {"hookName": "PostToolUse:Bash", "hookEvent": "PostToolUse"}
    note(writing, version, "hook_stopped_continuation", message="enough", **watched)
    writing.assistant("Seen.", version=version, model=TAKES_SYSTEM)
    assert texts(last(writing))[1] == ("system", ["PostToolUse:Bash hook stopped continuation: enough"])
