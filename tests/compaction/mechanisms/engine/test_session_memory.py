from __future__ import annotations

from dataclasses import replace

import pytest

from compaction.mechanisms.engine.compaction.boundary import Boundary, PreservedSegment, Trigger, is_boundary
from compaction.mechanisms.engine.compaction.occasion import Attempt, Occasion
from compaction.mechanisms.engine.report import ChangeKind, Outcome
from compaction.mechanisms.engine.session_memory import (
    Notes,
    SessionMemoryConfig,
    covered_by,
    cut_sections,
    find_kept_start,
    session_memory_compact,
)
from memory.notes.engine import is_empty, last_summarized_after
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from sessions.usage.engine.tokens import estimate, estimate_blocks
from tests.sessions.transcripts.engine.spoken import Talk, ids, texts

TEMPLATE = "# Session Title\n_A short title_\n\n# Current State\n_What is being done_\n"
NOTES = Notes(
    "# Session Title\n_A short title_\nTides\n\n# Current State\n_What is being done_\nAll of it\n", "/s/summary.md"
)
SMALL = SessionMemoryConfig(keep_tokens=100, keep_text_messages=3, keep_most_tokens=1_000)


def chat(turns: int, size: int = 400) -> Talk:
    talk = Talk()
    for number in range(turns):
        talk.prompt(f"{number} " + "x" * size)
        talk.says(f"{number} " + "y" * size)
    return talk


def compact(
    messages: list[Message],
    notes: Notes | None = NOTES,
    config: SessionMemoryConfig = SMALL,
    last: str = "",
    threshold: int = 100_000,
) -> Outcome[Attempt]:
    return session_memory_compact(
        messages, notes, config, last_summarized=last, threshold=threshold, occasion=Occasion(Trigger.AUTO)
    )


def start_of(messages: list[Message], config: SessionMemoryConfig = SMALL, last: str = "") -> int | None:
    return find_kept_start(messages, config, last, estimate_blocks)


class TestDeclines:
    @pytest.mark.parametrize(
        ("notes", "why"),
        [
            (None, "There are no notes of this session."),
            (Notes(TEMPLATE, template=TEMPLATE), "The notes are still the empty template."),
            (Notes(NOTES.text, is_being_written=True), "The notes are still being written."),
        ],
    )
    def test_without_notes_that_say_something(self, notes: Notes | None, why: str) -> None:
        talk = chat(20)
        outcome = compact(talk.messages, notes)
        assert (outcome.report.applied, outcome.report.why) == (False, why)
        assert outcome.messages is talk.messages
        assert outcome.state == Attempt()

    def test_when_it_is_switched_off(self) -> None:
        assert not compact(chat(20).messages, config=SessionMemoryConfig(enabled=False)).report.applied

    def test_when_what_is_left_would_be_over_the_threshold_again(self) -> None:
        outcome = compact(chat(20).messages, threshold=500)
        assert "the threshold is 500" in outcome.report.why

    def test_when_the_notes_end_at_a_message_that_is_not_here(self) -> None:
        assert "not in this conversation" in compact(chat(20).messages, last="gone").report.why

    def test_when_everything_would_be_kept(self) -> None:
        assert "nothing to summarise" in compact(chat(1).messages).report.why

    def test_when_the_result_would_be_larger(self) -> None:
        long_notes = Notes("# Worklog\n" + "z" * 7_000)
        assert "no less than" in compact(chat(6, size=100).messages, long_notes, last="m4").report.why


class TestKeepWindow:
    def test_it_begins_after_what_the_notes_cover(self) -> None:
        talk = chat(20)
        assert start_of(talk.messages, last="m10") == 10

    def test_it_reaches_back_for_enough_messages_with_words(self) -> None:
        talk = chat(20)
        assert start_of(talk.messages, last="m39") == 37

    def test_many_tokens_are_not_enough_without_words(self) -> None:
        talk = chat(5)
        for _ in range(3):
            talk.reads("a.py", "x" * 500)
        assert start_of(talk.messages, last="m10") == 7

    def test_words_are_not_enough_without_tokens(self) -> None:
        talk = chat(3, size=600)
        for number in range(5):
            talk.prompt(f"{number}?")
        config = SessionMemoryConfig(keep_tokens=600, keep_text_messages=3, keep_most_tokens=5_000)
        kept_messages = talk.messages[start_of(talk.messages, config) or 0 :]
        assert estimate(kept_messages) >= 600
        assert estimate(kept_messages[1:]) < 600

    def test_it_stops_at_the_most_even_if_words_are_missing(self) -> None:
        talk = chat(5)
        for _ in range(6):
            talk.reads("a.py", "x" * 1_500)
        start = start_of(talk.messages, SMALL, last="m22") or 0
        kept_messages = estimate(talk.messages[start:])
        assert 1_000 <= kept_messages < 2_000

    def test_more_than_the_most_is_kept_if_the_notes_do_not_cover_it(self) -> None:
        talk = chat(40)
        assert start_of(talk.messages, last="m10") == 10

    def test_it_never_crosses_the_last_boundary_nor_its_summary(self) -> None:
        talk = chat(2)
        boundary = Boundary("b", Trigger.AUTO, 0).to_message()
        summary = Message("user", (text_block("so far"),), MessageKind.SUMMARY, "s")
        messages = [*talk.messages[:2], boundary, summary, *talk.messages[2:]]
        assert start_of(messages) == 4

    def test_the_defaults_are_ten_thousand_tokens_and_five_messages_up_to_forty_thousand(self) -> None:
        talk = chat(40, size=3_000)
        start = start_of(talk.messages, SessionMemoryConfig()) or 0
        kept_messages = talk.messages[start:]
        assert 10_000 <= estimate(kept_messages) < 12_000
        assert len(kept_messages) >= 5


class TestInvariants:
    def test_a_kept_result_brings_its_call(self) -> None:
        talk = chat(3)
        tool = talk.calls("Read", {"file_path": "a"})
        talk.result(tool, "x" * 900)
        config = SessionMemoryConfig(keep_tokens=100, keep_text_messages=0, keep_most_tokens=1_000)
        assert start_of(talk.messages, config) == 6

    def test_records_of_one_answer_stay_together(self) -> None:
        talk = chat(3)
        talk.says("I think", message_id="one")
        talk.says("that it is so " + "x" * 800, message_id="one")
        config = SessionMemoryConfig(keep_tokens=100, keep_text_messages=1, keep_most_tokens=1_000)
        assert start_of(talk.messages, config) == 6

    def test_a_turn_that_thinks_is_not_parted_from_its_first_thoughts(self) -> None:
        talk = chat(3)
        talk.prompt("go")
        talk.says("hm", thinks="deep", message_id="a")
        tool = talk.calls("Read", {"file_path": "a"}, message_id="a")
        talk.result(tool)
        tool = talk.calls("Read", {"file_path": "b"})
        talk.result(tool, "x" * 900)
        config = SessionMemoryConfig(keep_tokens=100, keep_text_messages=0, keep_most_tokens=1_000)
        assert start_of(talk.messages, config) == 7

    def test_kept_messages_are_the_same_objects(self) -> None:
        talk = chat(20)
        outcome = compact(talk.messages, last="m30")
        kept_messages = [message for message in outcome.messages if message.uuid in ids(talk.messages)]
        assert all(left is right for left, right in zip(kept_messages, talk.messages[30:], strict=True))


class TestResult:
    def test_boundary_then_notes_then_what_is_kept(self) -> None:
        talk = chat(20)
        outcome = compact(talk.messages, last="m30")
        boundary, summary, *kept_messages = outcome.messages
        assert is_boundary(boundary)
        assert "All of it" in texts([summary])[0]
        assert ids(kept_messages) == ids(talk.messages[30:])

    def test_the_boundary_says_what_became_of_the_messages(self) -> None:
        talk = chat(20)
        compaction = compact(talk.messages, last="m30").state.compaction
        assert compaction is not None
        boundary = compaction.boundary
        assert boundary.messages_summarized == 30
        assert boundary.preserved_segment == PreservedSegment("m31", compaction.summary.uuid, "m40")
        assert boundary.logical_parent_uuid == "m40"
        assert boundary.pre_tokens == estimate(talk.messages)
        assert boundary.post_tokens == estimate(compact(talk.messages, last="m30").messages)

    def test_the_report_adds_up(self) -> None:
        report = compact(chat(20).messages, last="m30").report
        saved = sum(change.tokens_before - change.tokens_after for change in report.changes)
        assert report.tokens_before - report.tokens_after == saved > 0


class TestNotes:
    def test_a_long_section_is_cut_with_a_pointer_to_the_file(self) -> None:
        worklog = "".join(f"- step {number}\n" for number in range(2_000))
        notes = Notes(f"# Title\nTides\n\n# Worklog\n_Steps_\n{worklog}\n# Learnings\nnone\n", "/s/summary.md")
        text, remarks = cut_sections(notes, SessionMemoryConfig())
        assert "[this section is cut at 2,000 tokens; all of it is in /s/summary.md]" in text
        assert text.startswith("# Title\nTides\n\n# Worklog\n_Steps_\n- step 0")
        assert text.endswith("# Learnings\nnone")
        assert len(text) < 8_000 + 200
        assert len(remarks) == 1

    def test_sections_inside_their_limit_stay_as_they_are(self) -> None:
        assert cut_sections(NOTES, SessionMemoryConfig()) == (NOTES.text.strip(), [])

    @pytest.mark.parametrize("text", ["", TEMPLATE, TEMPLATE.replace("\n", "\n\n"), "# Only\n# Headings\n"])
    def test_headings_and_guidance_alone_are_empty(self, text: str) -> None:
        assert is_empty(text, TEMPLATE)
        assert not is_empty(NOTES.text)


class TestLastSummarized:
    def test_it_moves_to_the_last_message(self) -> None:
        assert last_summarized_after(chat(2).messages, "m1") == "m4"

    def test_it_stays_while_a_call_is_open(self) -> None:
        talk = chat(2)
        tool = talk.calls("Read", {"file_path": "a"})
        assert last_summarized_after(talk.messages, "m4") == "m4"
        talk.result(tool)
        assert last_summarized_after(talk.messages, "m4") == "m6"

    def test_nothing_said_changes_nothing(self) -> None:
        assert last_summarized_after([], "m4") == "m4"


class TestHowFarTheNotesGo:
    def test_what_opens_a_conversation_alone_is_nothing_to_summarise(self) -> None:
        talk = Talk()
        opening = talk.injected("CLAUDE.md", "instructions")
        talk.prompt("Go")
        talk.says("Gone. " * 400)
        outcome = compact(talk.messages, last=opening.uuid)
        assert outcome.report.why == "Every message would be kept, so there is nothing to summarise."

    def test_notes_that_name_no_message_cover_what_was_said_before_they_were_written(self) -> None:
        messages = chat(20).messages
        kept = ids(compact(messages, replace(NOTES, written_at=messages[15].at)).messages)
        assert set(ids(messages[16:])) <= set(kept)
        assert messages[0].uuid not in kept

    def test_a_turn_that_was_under_way_then_is_kept(self) -> None:
        messages = chat(20).messages
        assert covered_by(messages, messages[15].at or 0) == messages[15].uuid
        assert covered_by(messages, messages[16].at or 0) == messages[15].uuid
        assert covered_by(messages, messages[0].at or 0) == ""

    def test_the_report_says_how_it_is_known_what_they_cover(self) -> None:
        messages = chat(20).messages
        timed = compact(messages, replace(NOTES, written_at=messages[15].at)).report
        assert "what was said after they were written is kept" in timed.why
        unknown = compact(messages, NOTES).report
        assert "How far they go is not known" in unknown.why
        removed = [change for change in unknown.changes if change.kind is ChangeKind.REMOVED]
        assert {change.why for change in removed} == {"Whether the notes cover it is not known."}

    def test_as_much_as_may_be_is_kept_if_it_is_not_known(self) -> None:
        messages = chat(20).messages
        assert len(compact(messages, NOTES).messages) > len(compact(messages, NOTES, last="m40").messages)
