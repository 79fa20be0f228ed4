from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from compaction.mechanisms.engine.full.parsing import parse_summary
from compaction.mechanisms.engine.full.prompt import SECTIONS, Variant
from compaction.mechanisms.engine.full.request import RequestPath, build_summary_request
from compaction.mechanisms.engine.guards import check_quotes
from compaction.mechanisms.engine.mechanical import LABEL, MechanicalConfig, MechanicalSummariser, notes_sections
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
    assert len(text) < 4_000
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
    text = summary(talk().messages)
    for number, item in enumerate(SECTIONS[Variant.FULL], 1):
        assert f"{number}. {item.title}:" in text
    assert text.startswith("This summary was put together mechanically")


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
    assert "9. Optional Next Step:" in text
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
    again = [first, *later.messages]
    text = summary(again, MechanicalConfig(share=10))
    assert "never feet" in section(text, "All User Messages")
    assert check_quotes(text, again).invented == ()


def test_up_to_a_pivot_it_has_the_other_sections() -> None:
    text = summary(talk().messages, variant=Variant.UP_TO)
    assert "8. Work Completed:" in text
    assert "9. Context for Continuing Work:" in text


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
