"""What a client still sends of a session that it has read again, and how that is told."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec.structs import replace

from sessions.context.engine import Context, Log
from sessions.transcripts.engine.flags import Flag
from tests.sessions.context.engine.context_helpers import call, last, texts, thought
from tests.sessions.context.engine.version_rows import TAKES_SYSTEM, note
from tests.sessions.writing import START, Writing, named, stamp

LONG = "high water " * 200
LOSING = "2.1.20"


def parallel(writing: Writing, version: str, *, tokens: int = 1_000, words: str = "one", **fields: Any) -> None:
    """A turn with two calls at once: the chain leads through the second result."""
    parameters = {"version": version, **fields}
    writing.user("Look", **parameters)
    usage = {"input_tokens": tokens, "output_tokens": 1}
    first = writing.assistant(call("t1"), message="m1", version=version, usage=usage)
    second = writing.assistant(call("t2"), message="m1", version=version, usage=usage)
    writing.result("t1", words, parent=first, version=version)
    writing.result("t2", "two", parent=second, version=version)
    added = {"input_tokens": tokens + 10, "output_tokens": 1}
    writing.assistant("Seen.", message="m2", version=version, usage=added)


def again(writing: Writing, version: str, *, tokens: int = 0, **fields: Any) -> Context:
    writing.user("Again", version=version, **fields)
    counted = {"input_tokens": tokens, "output_tokens": 1}
    writing.assistant("Yes.", message="m3", version=version, usage=counted)
    return last(writing)


def lost(context: Context) -> bool:
    sent = texts(context)
    assert sent[1][1] in (["call t2"], ["call t1", "call t2"])
    assert len(sent[1][1]) == len(sent[2][1])
    return sent[1][1] == ["call t2"]


def is_unsure(context: Context) -> bool:
    return any("reads a session again" in sentence for sentence in context.unknown)


@pytest.mark.parametrize(("version", "loses"), [(LOSING, True), ("2.1.90", False), ("", False)])
def test_a_prompt_that_a_client_was_started_with(version: str, loses: bool) -> None:
    writing = Writing()
    writing.state("queue-operation", operation="dequeue")
    parallel(writing, version)
    assert not lost(last(writing))
    writing.state("queue-operation", operation="dequeue")
    context = again(writing, version)
    assert lost(context) is loses
    assert is_unsure(context) is loses


def test_a_session_that_was_never_read_again_keeps_everything() -> None:
    writing = Writing()
    parallel(writing, LOSING, todos=[])
    context = again(writing, LOSING, todos=[])
    assert not lost(context)
    assert not is_unsure(context)


def test_a_prompt_without_a_list_of_things_to_do_after_one_with_it_is_a_resume() -> None:
    writing = Writing()
    parallel(writing, LOSING, todos=[])
    context = again(writing, LOSING)
    assert lost(context)
    assert not is_unsure(context)


def test_what_comes_after_a_resume_is_whole() -> None:
    writing = Writing()
    writing.user("Hello", version=LOSING, todos=[])
    writing.assistant("Hello.", message="m0", version=LOSING)
    parallel(writing, LOSING)
    writing.assistant("More.", message="m3", version=LOSING)
    assert ("assistant", ["call t1", "call t2"]) in texts(last(writing))


def test_a_prompt_in_a_terminal_is_taken_to_be_no_resume_unless_something_tells() -> None:
    writing = Writing()
    parallel(writing, LOSING)
    context = again(writing, LOSING)
    assert not lost(context)
    assert is_unsure(context)


def test_a_request_that_is_too_light_for_all_that_stands_before_it_follows_a_resume() -> None:
    writing = Writing()
    parallel(writing, LOSING, tokens=5_000, words=LONG)
    context = again(writing, LOSING, tokens=4_500)
    assert lost(context)
    assert is_unsure(context)


def test_a_request_that_holds_everything_was_made_by_a_client_that_went_on() -> None:
    writing = Writing()
    writing.state("queue-operation", operation="dequeue")
    parallel(writing, LOSING, tokens=5_000, words=LONG)
    writing.state("queue-operation", operation="dequeue")
    assert not lost(again(writing, LOSING, tokens=5_030))


def test_a_client_that_tells_of_its_own_calls_was_not_started_anew() -> None:
    writing = Writing()
    writing.state("queue-operation", operation="dequeue")
    parallel(writing, LOSING)
    writing.state("queue-operation", operation="dequeue")
    seen = {"type": "bash_progress", "output": "", "fullOutput": "", "elapsedTimeSeconds": 2, "totalLines": 0}
    writing.row("progress", data=seen, toolUseID="p", parentToolUseID="t1", timestamp=stamp(START))
    context = again(writing, LOSING)
    assert not lost(context)
    assert not is_unsure(context)


def test_what_hooks_of_a_start_did_tells_nothing() -> None:
    writing = Writing()
    writing.state("queue-operation", operation="dequeue")
    parallel(writing, LOSING)
    writing.state("queue-operation", operation="dequeue")
    seen = {"type": "hook_progress", "hookEvent": "SessionStart", "hookName": "SessionStart:resume", "command": "a"}
    writing.row("progress", data=seen, toolUseID="p", parentToolUseID="p")
    assert lost(again(writing, LOSING))


@pytest.mark.parametrize("command", [False, True])
def test_prompts_in_blocks_came_over_one_connection(command: bool) -> None:
    writing = Writing()
    writing.state("queue-operation", operation="dequeue")
    parallel(writing, LOSING, message={"role": "user", "content": [{"type": "text", "text": "Look"}]})
    writing.state("queue-operation", operation="dequeue")
    words = "<command-name>/more</command-name>"
    content = words if command else [{"type": "text", "text": "Again"}]
    context = again(writing, LOSING, message={"role": "user", "content": content})
    assert not lost(context)
    assert is_unsure(context)


def test_a_client_may_be_started_with_a_command() -> None:
    writing = Writing()
    writing.state("queue-operation", operation="dequeue")
    parallel(writing, LOSING)
    writing.state("queue-operation", operation="dequeue")
    command = {"role": "user", "content": "<command-name>/more</command-name>"}
    assert lost(again(writing, LOSING, message=command))


def test_a_command_carries_no_list_of_things_to_do() -> None:
    writing = Writing()
    writing.state("queue-operation", operation="dequeue")
    blocks = {"role": "user", "content": [{"type": "text", "text": "Look"}]}
    parallel(writing, LOSING, todos=[], message=blocks)
    writing.state("queue-operation", operation="dequeue")
    writing.user("<command-name>/cost</command-name>", version=LOSING)
    writing.state("queue-operation", operation="dequeue")
    context = again(writing, LOSING, todos=[], message=blocks)
    assert not lost(context)
    assert not is_unsure(context)


def test_a_turn_that_a_client_finds_unfinished_was_read_again() -> None:
    writing = Writing()
    parallel(writing, LOSING)
    writing.state("last-prompt", lastPrompt="Look")
    writing.user("Continue from where you left off.", isMeta=True, version=LOSING)
    writing.assistant("No response requested.", message="s1", version=LOSING, model="<synthetic>")
    context = again(writing, LOSING)
    assert ("assistant", ["call t2"]) in texts(context)


def test_a_prompt_that_waited_in_a_terminal_is_no_resume() -> None:
    writing = Writing()
    parallel(writing, LOSING)
    writing.state("queue-operation", operation="enqueue")
    writing.state("queue-operation", operation="dequeue")
    writing.state("file-history-snapshot", messageId="1")
    assert not lost(again(writing, LOSING))


def test_thoughts_that_are_all_of_an_answer_are_lost_with_a_resume() -> None:
    writing = Writing()
    writing.user("Look", version=LOSING, todos=[])
    writing.assistant(thought(), message="m1", version=LOSING)
    writing.user("Again", version=LOSING)
    writing.assistant("Yes.", message="m2", version=LOSING)
    assert {role for role, _ in texts(last(writing))} == {"user"}


@pytest.mark.parametrize("version", ["2.0.76", "2.1.20"])
def test_a_prompt_that_hangs_on_the_middle_of_an_answer_was_written_after_a_resume(version: str) -> None:
    writing = Writing()
    writing.user("Look", version=version)
    first = writing.assistant("Looking.", message="m1", version=version)
    writing.assistant("Seen.", message="m1", version=version)
    writing.user("Again", version=version, parent=first)
    writing.assistant("Yes.", message="m2", version=version)
    context = last(writing)
    assert texts(context) == [("user", ["Look"]), ("assistant", ["Looking."]), ("user", ["Again"])]
    assert not is_unsure(context)


@pytest.mark.parametrize(("version", "sent"), [("2.0.76", True), ("2.1.20", False)])
def test_thoughts_that_are_left_alone_by_a_resume(version: str, sent: bool) -> None:
    writing = Writing()
    writing.user("Look", version=version, todos=[])
    first = writing.assistant(thought(), message="m1", version=version)
    writing.assistant("Seen.", message="m1", version=version)
    writing.user("Again", version=version, parent=first)
    writing.assistant("Yes.", message="m2", version=version)
    assert (("assistant", ["thinking"]) in texts(last(writing))) is sent


def test_texts_without_a_word_are_lost_with_a_resume() -> None:
    version = "2.1.90"
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant("\n\n", call("t1"), message="m1", version=version)
    writing.result("t1", "one", version=version)
    writing.assistant("Seen.", message="m2", version=version)
    assert texts(last(writing))[1] == ("assistant", ["\n\n", "call t1"])
    writing.state("last-prompt", lastPrompt="Look")
    assert texts(again(writing, version))[1] == ("assistant", ["call t1"])


def test_what_was_left_of_an_answer_without_its_thoughts_is_lost_with_a_resume() -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant(thought(), message="m1", version=version, model="claude-opus-4-5")
    writing.state("last-prompt", lastPrompt="Look")
    assert {role for role, _ in texts(again(writing, version))} == {"user"}


def test_results_that_were_found_beside_the_chain_stand_by_the_time_they_were_written() -> None:
    version = "2.1.90"
    writing = Writing()
    writing.user("Look", version=version)
    calls = [writing.assistant(call(f"t{n}"), message="m1", version=version) for n in range(3)]
    for n, index in ((1, 2), (0, 1), (2, 3)):
        writing.result(f"t{n}", "done", parent=calls[n], version=version, timestamp=f"2026-01-01T00:00:0{index}.000Z")
    writing.assistant("Seen.", message="m2", version=version)
    assert texts(last(writing))[2][1] == [f"result t{n}: done" for n in (1, 0, 2)]
    writing.state("last-prompt", lastPrompt="Look")
    assert texts(again(writing, version))[2][1] == [f"result t{n}: done" for n in (0, 1, 2)]


def test_who_reads_again_goes_past_a_boundary_that_an_answer_does_not_hang_on() -> None:
    version = "2.1.90"
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant(call("t1"), message="m1", version=version)
    before = writing.result("t1", "one", version=version)
    writing.row("system", subtype="compact_boundary", parent=None, logicalParentUuid=before, version=version)
    writing.user("Summary.", isCompactSummary=True, version=version)
    writing.assistant("Seen.", message="m2", version=version, parent=before)
    assert texts(last(writing)) == [("user", ["Summary."])]
    writing.state("last-prompt", lastPrompt="Look")
    sent = texts(again(writing, version))
    assert sent[0] == ("user", ["Look"])
    assert sent[-2:] == [("assistant", ["Seen."]), ("user", ["Again"])]


@pytest.mark.parametrize("stopped", [False, True])
def test_what_hooks_said_beside_the_chain_is_lost_by_a_version_that_keeps_the_results(stopped: bool) -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    first = writing.assistant(call("t1"), message="m1", version=version, model=TAKES_SYSTEM)
    second = writing.assistant(call("t2"), message="m1", version=version, model=TAKES_SYSTEM)
    watched = {"hookName": "PostToolUse:Bash", "hookEvent": "PostToolUse"}
    for tool, parent, words in (("t1", first, "near"), ("t2", second, "far")):
        writing.result(tool, "one", parent=parent, version=version)
        note(writing, version, "hook_additional_context", content=[words], **watched)
    writing.assistant("Seen.", message="m2", version=version, model=TAKES_SYSTEM)
    if stopped:
        writing.state("last-prompt", leafUuid=writing.leaf)
    writing.user("Again", version=version)
    writing.assistant("Yes.", message="m3", version=version, model=TAKES_SYSTEM)
    sent = texts(last(writing))
    assert sent[2][1] == ["result t1: one", "result t2: one"]
    text = [f"PostToolUse:Bash hook additional context: {words}" for words in ("near", "far")]
    assert sent[3] == ("system", [text[1] if stopped else "\n\n".join(text)])


@pytest.mark.parametrize(("version", "loses"), [("2.1.90", True), ("2.1.197", False)])
def test_of_what_a_compaction_kept_a_version_reads_the_chain_alone(version: str, loses: bool) -> None:
    writing = Writing()
    first = writing.user("Look", version=version)
    calls = [writing.assistant(call(f"t{n}"), message="m1", version=version) for n in (1, 2)]
    for n, parent in enumerate(calls, 1):
        writing.result(f"t{n}", "done", parent=parent, version=version)
    tail = writing.assistant("Seen.", message="m2", version=version)
    boundary = named("a boundary that keeps")
    kept = {"headUuid": first, "anchorUuid": boundary, "tailUuid": tail}
    metadata = {"trigger": "manual", "preservedSegment": kept}
    writing.row("system", subtype="compact_boundary", uuid=boundary, compactMetadata=metadata, parent=None)
    writing.user("Summary.", isCompactSummary=True, version=version)
    writing.assistant("Fine.", message="m3", version=version)
    assert ("assistant", ["call t1", "call t2"]) in texts(last(writing))
    writing.state("last-prompt", lastPrompt="Look")
    writing.user("Again", version=version)
    writing.assistant("Yes.", message="m4", version=version)
    assert (("assistant", ["call t2"]) in texts(last(writing))) is loses


@pytest.mark.parametrize(("version", "loses"), [(LOSING, True), ("2.1.90", False)])
def test_what_a_fork_copied_may_be_less_than_was_sent(version: str, loses: bool) -> None:
    writing = Writing()
    parallel(writing, version)
    log = Log(b"".join(writing.lines()))
    viewer = log.context_builder()
    *before, answer = log.rows
    for row in before:
        viewer.feed(row)
    assert not is_unsure(viewer.build_for_answer(answer))
    copied = viewer.build_for_answer(replace(answer, flags=answer.flags | Flag.COPY))
    assert is_unsure(copied) is loses
    assert any("this one was copied from" in sentence for sentence in copied.unknown)


@pytest.mark.parametrize("version", ["2.1.90", "2.1.197"])
def test_a_turn_that_a_hook_had_go_on_is_lost_only_when_it_is_read_again(version: str) -> None:
    """The notice of its end is written late, and hangs on what the hook said."""
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant("Seen.", message="m1", version=version)
    text = writing.user("Stop hook feedback: go on", version=version, isMeta=True)
    writing.assistant("All of it.", message="m2", version=version)
    notice = writing.row("system", subtype="stop_hook_summary", parent=text, version=version)
    writing.row("system", subtype="stop_hook_summary", parent=notice, version=version)
    writing.user("More", version=version)
    writing.assistant("Yes.", message="m3", version=version)
    assert ("assistant", ["All of it."]) in texts(last(writing))
    writing.state("last-prompt", lastPrompt="More")
    writing.user("Again", version=version)
    writing.assistant("Once more.", message="m4", version=version)
    context = last(writing)
    assert ("assistant", ["All of it."]) not in texts(context)
    assert ("assistant", ["Yes."]) in texts(context)


def test_a_client_that_tells_of_the_end_of_a_turn_has_not_stopped() -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    first = writing.assistant(call("t1"), message="m1", version=version, model=TAKES_SYSTEM)
    second = writing.assistant(call("t2"), message="m1", version=version, model=TAKES_SYSTEM)
    writing.result("t1", "one", parent=first, version=version)
    watched = {"hookName": "PostToolUse:Bash", "hookEvent": "PostToolUse"}
    note(writing, version, "hook_additional_context", content=["extra"], **watched)
    writing.result("t2", "two", parent=second, version=version)
    writing.assistant("Seen.", message="m2", version=version, model=TAKES_SYSTEM)
    writing.state("last-prompt", lastPrompt="Look")
    writing.row("system", subtype="stop_hook_summary", version=version)
    writing.user("More", version=version)
    writing.assistant("Yes.", message="m3", version=version, model=TAKES_SYSTEM)
    assert ("system", ["PostToolUse:Bash hook additional context: extra"]) in texts(last(writing))


def _read_files(*, resumes: int) -> list[tuple[str, list[str]]]:
    """Three files after a summary, the second of which has the latest time; what a client sends that began so often."""
    version = "2.1.160"
    writing = Writing()
    writing.user("Look", version=version)
    written = [note(writing, version, "directory", path=f"/{name}", content=name) for name in "abc"]
    times = [record["timestamp"] for record in writing.records[-3:]]
    for record, time in zip(writing.records[-3:], (times[0], times[2], times[1]), strict=True):
        record["timestamp"] = time
    for number in range(resumes):
        writing.state("last-prompt", lastPrompt="Look")
        parent = writing.leaf if number else written[1]
        writing.user(f"Again {number}", version=version, parent=parent)
        writing.assistant("Yes.", message=f"m{number}", version=version, model=TAKES_SYSTEM)
    return texts(last(writing))


@pytest.mark.parametrize(("resumes", "sent"), [(1, ["/a", "/c", "/b"]), (2, ["/a", "/b"])])
def test_notes_that_were_put_in_order_are_all_sent_by_the_client_that_did_so(resumes: int, sent: list[str]) -> None:
    """It hangs the prompt on the latest. Whoever reads the session after it no longer finds what comes behind that."""
    (words,) = next(content for role, content in _read_files(resumes=resumes) if role == "system")
    assert re.findall(r'"ls (/\w)"', words) == sent
