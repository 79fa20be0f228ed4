from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from compaction.mechanisms.engine.attachments import FileText
from compaction.mechanisms.engine.compaction.boundary import Boundary, Trigger, is_boundary
from compaction.mechanisms.engine.compaction.occasion import Occasion
from compaction.mechanisms.engine.full.compact import full_compact
from compaction.mechanisms.engine.full.reply import FullConfig
from compaction.mechanisms.engine.full.request import RequestPath, SummariseError
from compaction.mechanisms.engine.full.truncation import MARKER, PromptTooLongError
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from tests.compaction.mechanisms.engine.summarising import SUMMARY, Model
from tests.sessions.transcripts.engine.spoken import Talk, ids, texts

TOO_LONG = PromptTooLongError("Input is too long for requested model.")


def work() -> Talk:
    talk = Talk()
    for number in range(10):
        talk.prompt(f"do {number}")
        talk.reads(f"{number}.py", "x" * 3_000, says="reading")
        talk.says("done")
    return talk


@dataclass(slots=True)
class Recorded:
    """Hooks that say something, and remember what they were told."""

    calls: list[str] = field(default_factory=list)

    def pre_compact(self, trigger: Trigger, instructions: str) -> str:
        self.calls.append(f"{trigger} {instructions}")
        return "mention the ticket"

    def session_start(self) -> list[str]:
        return ["the branch is main"]

    def post_compact(self, trigger: Trigger, summary: str) -> list[str]:
        self.calls.append(summary)
        return ["compacted"]


def test_the_summary_stands_for_everything() -> None:
    outcome = full_compact(work().messages, Model())
    boundary, summary = outcome.messages
    assert is_boundary(boundary)
    assert SUMMARY in texts([summary])[0]
    assert summary.kind is MessageKind.SUMMARY
    assert outcome.report.applied
    assert outcome.state.requests == 1


def test_it_is_asked_as_a_fork_without_a_limit_and_without_writing_cache() -> None:
    model = Model()
    talk = work()
    full_compact(talk.messages, model)
    (request,) = model.requests
    assert (request.path, request.max_output_tokens, request.system) == (RequestPath.FORK, None, None)
    assert (request.skips_cache_write, request.thinking, request.turns) == (True, True, 1)
    assert all(left is right for left, right in zip(request.messages, talk.messages, strict=False))
    assert len(request.messages) == len(talk.messages) + 1


def test_when_the_fork_fails_it_is_asked_directly_with_a_limit_and_without_thinking() -> None:
    model = Model([SummariseError("cut off"), "<summary>all</summary>"])
    assert full_compact(work().messages, model).report.applied
    request = model.requests[1]
    assert (request.path, request.max_output_tokens, request.thinking) == (RequestPath.DIRECT, 20_000, False)
    assert request.system


def test_when_that_fails_too_nothing_changes() -> None:
    talk = work()
    outcome = full_compact(talk.messages, Model([SummariseError("no"), SummariseError("no money")]))
    assert outcome.messages is talk.messages
    assert outcome.state.failed
    assert "no money" in outcome.report.why


def test_what_would_fail_again_is_not_asked_for_in_another_way() -> None:
    model = Model([SummariseError("the key is refused", final=True)])
    outcome = full_compact(work().messages, model)
    assert outcome.report.why == "No summary was written: the key is refused."
    assert [request.path for request in model.requests] == [RequestPath.FORK]


def test_a_request_that_is_too_long_is_tried_three_times_with_less() -> None:
    model = Model([TOO_LONG, TOO_LONG, TOO_LONG, "<summary>all</summary>"])
    outcome = full_compact(work().messages, model)
    sizes = [len(request.messages) for request in model.requests]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 4
    assert "which did not fit" in outcome.report.why


def test_after_three_retries_it_gives_up() -> None:
    model = Model([TOO_LONG])
    outcome = full_compact(work().messages, model)
    assert outcome.state.failed
    assert outcome.state.requests == len(model.requests) == 4
    assert "after 3 retries" in outcome.report.why


def test_a_single_round_that_does_not_fit_is_a_clear_error() -> None:
    talk = Talk()
    talk.prompt("x")
    outcome = full_compact(talk.messages, Model([TOO_LONG]))
    assert "even its last round alone does not fit" in outcome.report.why


def test_the_marker_of_a_retry_is_no_part_of_the_conversation() -> None:
    outcome = full_compact(work().messages, Model([TOO_LONG, "<summary>all</summary>"]))
    assert MARKER not in "".join(texts(outcome.messages))


def test_only_what_follows_the_last_boundary_is_sent() -> None:
    talk = work()
    boundary = Boundary("b", Trigger.AUTO, 0).to_message()
    model = Model()
    full_compact([*talk.messages[:8], boundary, *talk.messages[8:]], model)
    assert ids(model.requests[0].messages)[:-1] == ids(talk.messages[8:])


def test_a_summary_that_is_larger_than_what_it_replaces_is_refused() -> None:
    talk = work()
    outcome = full_compact(talk.messages, Model([f"<summary>{'x' * 400_000}</summary>"]))
    assert outcome.messages is talk.messages
    assert outcome.state.failed
    assert "no less than" in outcome.report.why


@pytest.mark.parametrize("reply", ["", "<analysis>only a draft", "prompt is too long: 2 tokens > 1 maximum"])
def test_a_reply_without_a_summary_is_a_failure(reply: str) -> None:
    assert full_compact(work().messages, Model([reply])).state.failed


def test_invented_words_of_the_user_are_flagged() -> None:
    summary = '6. All User Messages:\n   - "delete everything"\n7. Pending Tasks:\n   - none'
    report = full_compact(work().messages, Model([f"<summary>{summary}</summary>"])).report
    assert "1 quoted user message was never written" in report.why


def test_hooks_speak_before_and_after() -> None:
    hooks = Recorded()
    model = Model()
    config = FullConfig(instructions="keep the numbers")
    outcome = full_compact(work().messages, model, config, occasion=Occasion(hooks=hooks))
    prompt = texts(model.requests[0].messages)[-1]
    assert prompt.index("keep the numbers") < prompt.index("mention the ticket")
    assert texts(outcome.messages)[-2:] == ["the branch is main", "compacted"]
    assert hooks.calls == ["manual keep the numbers", SUMMARY]


def test_files_are_read_again_and_come_after_the_summary() -> None:
    occasion = Occasion(read_file=lambda path: FileText.whole(f"text of {path}"))
    outcome = full_compact(work().messages, Model(), occasion=occasion)
    restored = texts(outcome.messages)[1:]
    assert all(f'{{"file_path":"{path}.py"}}' in text for text, path in zip(restored, (9, 8, 7, 6, 5), strict=True))
    assert all(f"1\ttext of {path}.py" in text for text, path in zip(restored, (9, 8, 7, 6, 5), strict=True))
    assert "at most 5 files are attached" in outcome.report.why


def test_pictures_are_not_sent_and_thinking_after_them_neither_where_it_was_signed() -> None:
    talk = Talk()
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}
    message = Message("user", (text_block("see"), picture), MessageKind.PROMPT, "p")
    talk.says("I see " + "x" * 3_000, thinks="a picture")
    for bound, left in (("claude-opus-5-5", ["text"]), ("claude-opus-4-5", ["thinking", "text"])):
        model = Model()
        full_compact([message, *talk.messages], model, occasion=Occasion(model=bound))
        first, second, _ = model.requests[0].messages
        assert first.content[1] == text_block("[image]")
        assert [block["type"] for block in second.content] == left


def test_switched_off_or_with_nothing_said_it_declines_without_asking() -> None:
    model = Model()
    assert not full_compact(work().messages, model, FullConfig(enabled=False)).state.failed
    assert not full_compact([], model).state.failed
    assert model.requests == []


def test_the_same_messages_give_the_same_bytes() -> None:
    assert full_compact(work().messages, Model()).messages == full_compact(work().messages, Model()).messages


def test_hooks_that_follow_do_not_run_for_a_compaction_that_is_refused() -> None:
    hooks = Recorded()
    full_compact(work().messages, Model([f"<summary>{'x' * 400_000}</summary>"]), occasion=Occasion(hooks=hooks))
    assert hooks.calls == ["manual "]
