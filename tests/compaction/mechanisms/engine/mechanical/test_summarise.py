from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from compaction.mechanisms.engine.full.parsing import parse_summary
from compaction.mechanisms.engine.full.prompt import SECTIONS, Variant
from compaction.mechanisms.engine.full.request import RequestPath, build_summary_request
from compaction.mechanisms.engine.guards import check_quotes
from compaction.mechanisms.engine.mechanical import LABEL, MechanicalConfig, MechanicalSummariser, notes_sections
from compaction.mechanisms.engine.mechanical.statements import Rank, rank_of, statements_of
from compaction.mechanisms.engine.mechanical.text_fitting import GAP
from memory.notes.engine import TITLES
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from tests.examples import examples
from tests.sessions.transcripts.engine.messages.conversations import conversations
from tests.sessions.transcripts.engine.spoken import Talk

some = settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
INSTRUCTION = Message("user", (text_block("Summarise."),), MessageKind.INJECTED, "instruction")


def summary(messages: list[Message], config: MechanicalConfig | None = None, variant: Variant = Variant.FULL) -> str:
    request = build_summary_request([*messages, INSTRUCTION], RequestPath.DIRECT, variant=variant)
    return parse_summary(MechanicalSummariser(config or MechanicalConfig())(request)).summary


def section(text: str, title: str) -> str:
    return text.partition(f". {title}:\n")[2].partition("\n\n")[0]


@pytest.mark.slow
@some
@given(conversations())
def test_it_quotes_what_was_said_and_invents_nothing(messages: list[Message]) -> None:
    text = summary(messages)
    quotes = check_quotes(text, messages)
    assert quotes.invented == ()
    assert text.startswith(LABEL)


@pytest.mark.slow
@some
@given(conversations())
def test_it_is_bounded_and_the_same_each_time(messages: list[Message]) -> None:
    config = MechanicalConfig(most_characters=2_000)
    text = summary(messages, config)
    assert len(text) <= 2_000
    assert summary(messages, config) == text


def talk() -> Talk:
    conversation = Talk()
    conversation.prompt("Make the tides right.\n- in metres\n- never feet")
    conversation.reads("/work/tides.py", "x = 1\n" * 400)
    failed = conversation.calls("Bash", {"command": "pytest -q"})
    conversation.messages.append(
        Message(
            "user",
            ({"type": "tool_result", "tool_use_id": failed, "content": "Exit code 2\nboom", "is_error": True},),
            MessageKind.RESULT,
            "failed",
        )
    )
    conversation.result(conversation.calls("Edit", {"file_path": "/work/tides.py", "new_string": "x = 2"}))
    conversation.result(conversation.calls("Bash", {"command": "pytest -q"}), "4 passed")
    todos = [{"content": "Write docs", "status": "in_progress"}, {"content": "Fix it", "status": "completed"}]
    conversation.result(conversation.calls("TodoWrite", {"todos": todos}))
    conversation.says("It is fixed, docs are next.")
    conversation.prompt("Go on with the docs </summary> please")
    return conversation


def test_every_section_is_there_and_the_label_first() -> None:
    conversation = talk()
    conversation.reads("/work/moon.py", "y = 1\n" * 8_000)
    text = summary(conversation.messages)
    for number, item in enumerate(SECTIONS[Variant.FULL], 1):
        assert f"{number}. {item.title}:" in text
    assert text.startswith("Put together mechanically")


def test_with_little_room_empty_sections_are_left_out_and_the_others_numbered_in_order() -> None:
    conversation = Talk()
    conversation.prompt("Make the tides right.")
    text = summary(conversation.messages)
    assert "None recorded" not in text
    assert [line for line in text.splitlines() if line[:1].isdigit()] == [
        f"{number}. {title}:"
        for number, title in enumerate(
            ("Primary Request and Intent", "All User Messages", "Pending Tasks", "Optional Next Step"), 1
        )
    ]


def wordy(rules: int, remarks: int) -> Talk:
    conversation = Talk()
    for number in range(max(rules, remarks)):
        if number < rules:
            conversation.prompt(f"Never touch the gauge of harbour {number}, it is calibrated by hand.")
        if number < remarks:
            conversation.prompt(f"{'The tide comes and goes, ' * 4}as it did before, says page {'x' * number}.")
        conversation.says("Noted.")
    return conversation


def test_rules_are_kept_word_for_word_where_remarks_have_no_room() -> None:
    messages = wordy(rules=10, remarks=60).messages
    text = summary(messages, MechanicalConfig(most_characters=1_500))
    assert len(text) <= 1_500
    for number in range(10):
        assert f'- "Never touch the gauge of harbour {number}, it is calibrated by hand."' in text
    assert f"- {GAP}" in section(text, "All User Messages")
    assert check_quotes(text, messages).invented == ()


@pytest.mark.parametrize("most", [1_200, 3_000, 8_000])
def test_a_summary_of_a_summary_loses_no_rule_that_it_held(most: int) -> None:
    conversation = wordy(rules=60, remarks=60)
    config = MechanicalConfig(most_characters=most)
    text = summary(conversation.messages, config)
    held = [number for number in range(60) if f"harbour {number}," in text]
    assert held
    for moon in range(5):
        later = wordy(rules=2, remarks=5)
        later.prompt(f"Always check moon {moon}.")
        first = Message("user", (text_block(text),), MessageKind.SUMMARY, "first")
        text = summary([first, *later.messages], config)
        assert len(text) <= most
        assert [number for number in held if f"harbour {number}," not in text] == []


def test_rules_that_a_model_wrote_into_a_summary_outlast_the_next_ones() -> None:
    written = "1. Primary Request and Intent:\n   Right tides. The user must never be shown feet.\n\n" + (
        '6. All User Messages:\n   - "Make the tides right."\n\n7. Pending Tasks:\n   - Docs.'
    )
    text = written
    for _ in range(3):
        first = Message("user", (text_block(text),), MessageKind.SUMMARY, "first")
        text = summary([first, *talk().messages])
        assert "> The user must never be shown feet." in text.splitlines()


def test_a_long_paste_yields_no_rules() -> None:
    assert rank_of("You must not do this.") is Rank.RULE
    assert rank_of("You must not do this.", is_pasted=True) is Rank.REMARK


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("Don't push to main", Rank.RULE),
        ("No, that's wrong: the time is in UTC", Rank.RULE),
        ("Only Python 3.11", Rank.RULE),
        ("IMPORTANT: harbours first", Rank.RULE),
        ("不要改这个文件", Rank.RULE),
        ("Bitte nicht veröffentlichen", Rank.RULE),
        ("I'd prefer short answers", Rank.WISH),
        ("Let's go with Redis", Rank.WISH),
        ("It fails in tests/test_tides.py", Rank.DETAIL),
        ("port 8080", Rank.DETAIL),
        ("I don't know", Rank.REMARK),
        ("thanks, nice", Rank.REMARK),
    ],
)
def test_what_a_person_writes_is_sorted_by_what_is_lost_without_it(text: str, rank: Rank) -> None:
    assert rank_of(text) is rank


def test_an_amount_that_was_changed_counts_as_it_was_given_last() -> None:
    texts = ["The cap is $300.", "Deadline for docs: 2027-01-02", "The cap is $500.", "The cap is $300 for tests."]
    assert [statement.text for statement in statements_of(texts)] == [texts[1], texts[2], texts[3]]


def test_it_tells_what_the_record_shows() -> None:
    text = summary(talk().messages, MechanicalConfig(share=10))
    assert "/work/tides.py: read once, changed once" in section(text, "Files and Code Sections")
    assert "> x = 2" in section(text, "Files and Code Sections")
    errors = section(text, "Errors and Fixes")
    assert "Bash pytest -q: Exit code 2 boom" in errors
    assert "Then Edit /work/tides.py: succeeded" in errors
    assert "`pytest -q`: failed with exit code 2" in section(text, "Problem Solving")
    assert "Write docs (in_progress)" in section(text, "Pending Tasks")
    assert "Fix it" not in section(text, "Pending Tasks")
    assert "It is fixed, docs are next." in section(text, "Current Work")
    assert "In progress: Write docs" in section(text, "Optional Next Step")


def test_a_closing_tag_in_a_quote_does_not_end_the_summary() -> None:
    text = summary(talk().messages, MechanicalConfig(share=10))
    assert ". Optional Next Step:" in text
    assert f"docs {GAP} please" in section(text, "All User Messages")


def test_all_messages_of_the_user_are_quoted() -> None:
    messages = talk().messages
    quotes = check_quotes(summary(messages, MechanicalConfig(share=10)), messages)
    assert quotes.missing == ()
    assert quotes.remark == ""


def test_what_an_earlier_summary_quotes_is_passed_on() -> None:
    messages = talk().messages
    first = Message("user", (text_block(summary(messages, MechanicalConfig(share=10))),), MessageKind.SUMMARY, "first")
    later = Talk()
    later.prompt("And the moon?")
    second = [first, *later.messages]
    text = summary(second, MechanicalConfig(share=10))
    assert "never feet" in section(text, "All User Messages")
    assert check_quotes(text, second).invented == ()


def test_up_to_a_pivot_it_has_the_other_sections() -> None:
    text = summary(talk().messages, variant=Variant.UP_TO)
    assert ". Work Completed:" in text
    assert ". Context for Continuing Work:" in text


def test_only_what_follows_the_pivot_is_summarised() -> None:
    conversation = talk()
    request = build_summary_request(
        [*conversation.messages, INSTRUCTION], RequestPath.DIRECT, begins_at=conversation.messages[-1].uuid
    )
    text = MechanicalSummariser(MechanicalConfig(share=10))(request)
    assert "Go on with the docs" in text
    assert "Make the tides right" not in text


def test_notes_have_their_ten_sections_in_order() -> None:
    notes = notes_sections(talk().messages, MechanicalConfig(share=10))
    assert tuple(notes) == TITLES
    assert notes["Session Title"].startswith("Make the tides right.")
    assert "`pytest -q`" in notes["Workflow"]
    assert "Exit code 2" in notes["Errors & Corrections"]
    assert "Fix it (completed)" in notes["Key results"]
    assert "mechanically" in notes["Current State"]
