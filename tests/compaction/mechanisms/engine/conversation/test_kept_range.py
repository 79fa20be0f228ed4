"""What stays after a request that the API refused as too long. Version 2.1.325 was played with such sessions: each has
so many answers of so many characters, and the numbers say with which of them what it kept begins."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from compaction.mechanisms.engine.conversation.kept_range import start_after_refusal
from sessions.transcripts.engine.messages import Block
from tests.sessions.transcripts.engine.spoken import Talk

INSTRUCTION = 6_361 // 4
ENVIRONMENT = 9_128
MILLION = 1_000_000


def characters(blocks: Sequence[Block]) -> int:
    return sum(len(str(block["text"])) for block in blocks) // 4


def first_kept(answers: int, size: int, gap: int | None) -> int:
    """The number of the first answer that stays, from zero; that of all answers if none does."""
    talk = Talk()
    talk.injected("e" * ENVIRONMENT, "environment")
    for _ in range(answers):
        talk.prompt("p" * 48)
        talk.says("a" * (size + 10))
    talk.prompt("Now the last prompt.")
    refusal = "Prompt is too long" if gap is None else f"prompt is too long: {MILLION + gap} tokens > {MILLION} maximum"
    start = start_after_refusal(talk.messages, characters, refusal, INSTRUCTION)
    return sum(message.role == "assistant" for message in talk.messages[:start])


@pytest.mark.parametrize(("answers", "kept"), [(2, 1), (6, 2), (8, 3), (11, 5), (12, 5)])
def test_the_newer_half_stays_of_a_short_session(answers: int, kept: int) -> None:
    assert first_kept(answers, 100, 48_612) == kept
    assert first_kept(answers, 100, None) == kept


@pytest.mark.parametrize(
    ("answers", "size", "kept"),
    [(20, 400, 4), (20, 600, 8), (20, 800, 11), (20, 1_200, 13), (20, 2_000, 15), (20, 8_000, 18), (21, 4_000, 18)],
)
def test_of_a_longer_one_so_much_stays_that_the_rest_can_be_sent(answers: int, size: int, kept: int) -> None:
    assert first_kept(answers, size, 48_612) == kept


@pytest.mark.parametrize(("gap", "kept"), [(10_000, 28), (48_612, 24), (150_000, 15), (400_000, 29)])
def test_the_more_it_was_too_long_by_the_more_stays(gap: int, kept: int) -> None:
    assert first_kept(60, 150, gap) == kept


def test_a_session_with_a_single_answer_is_summarised_whole() -> None:
    assert first_kept(1, 100, 48_612) == 1
