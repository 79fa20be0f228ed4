from __future__ import annotations

import pytest

from compaction.mechanisms.engine.compaction.continuation import summary_message
from compaction.mechanisms.engine.full.compact import full_compact
from compaction.mechanisms.engine.guards.constraints import HEADING, lost_rules, with_rules
from sessions.transcripts.engine.messages import Message
from tests.compaction.mechanisms.engine.summarising import Model
from tests.sessions.transcripts.engine.spoken import Talk, texts

EARLIER = """Summary:
1. Primary Request and Intent:
   The user wants a tide table. Never touch the gauge at Gull Haven.

2. Key Technical Concepts:
   You must know what a neap is.

6. All User Messages:
   - "Always measure in metres, never in feet."
   - "Thanks"
"""


def conversation(*prompts: str) -> list[Message]:
    talk = Talk()
    talk.messages.append(summary_message(EARLIER, "earlier"))
    talk.says("I go on. " * 400)
    for words in prompts:
        talk.prompt(words)
        talk.says("Good. " * 400)
    return talk.messages


def test_rules_of_an_earlier_summary_that_the_new_one_drops_are_found() -> None:
    assert lost_rules("A tide table was made.", conversation()) == [
        "Never touch the gauge at Gull Haven.",
        "Always measure in metres, never in feet.",
    ]


def test_a_rule_that_is_said_in_other_order_is_held() -> None:
    summary = "The gauge at Gull Haven: never touch it. Measure always in metres, never in feet."
    assert lost_rules(summary, conversation()) == []


def test_a_rule_that_the_user_took_back_is_not_carried_over() -> None:
    taken_back = conversation("You may now touch the gauge at Gull Haven.")
    assert lost_rules("A tide table was made.", taken_back) == ["Always measure in metres, never in feet."]


def test_what_was_carried_over_once_is_carried_over_again() -> None:
    carried = with_rules("A tide table was made.", ["Never touch the gauge at Gull Haven."])
    messages = [summary_message(f"Summary:\n{carried}", "earlier")]
    assert lost_rules("Nothing.", messages) == ["Never touch the gauge at Gull Haven."]


def test_all_of_them_are_carried_over_however_many_there_are() -> None:
    rules = [f"Never do {number} {'x' * 500}" for number in range(100)]
    carried = with_rules("Done.", rules)
    assert lost_rules("Nothing.", [summary_message(f"Summary:\n{carried}", "earlier")]) == rules


@pytest.mark.parametrize("words", ["Never forget: touch no gauge at Gull Haven.", "Do not touch the gauge any more."])
def test_a_rule_that_is_said_again_is_not_taken_back(words: str) -> None:
    assert "Never touch the gauge at Gull Haven." in lost_rules("A tide table was made.", conversation(words))


def test_a_summary_by_a_model_gets_them_back_and_the_report_says_so() -> None:
    outcome = full_compact(conversation("And the moon?"), Model())
    summary = texts(outcome.messages)[0]
    assert HEADING in summary
    assert "- Never touch the gauge at Gull Haven." in summary
    assert "2 rules of an earlier summary would have been lost" in outcome.report.why
