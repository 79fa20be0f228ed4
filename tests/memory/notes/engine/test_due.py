from __future__ import annotations

from memory.notes.engine import LastUpdate, check_due
from sessions.transcripts.engine.messages import Message, read_messages


def talk(*calls: int) -> list[Message]:
    """An input and an answer for each number, with so many calls."""
    array: list[dict[str, object]] = []
    for calling in calls:
        blocks = [{"type": "tool_use", "id": f"t{len(array)}{n}", "name": "Bash", "input": {}} for n in range(calling)]
        array += [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": blocks or "Done."}]
    return read_messages(array)


def test_the_first_notes_are_due_at_ten_thousand_tokens() -> None:
    assert not check_due(talk(0), 9_999, None).is_due
    result = check_due(talk(0), 10_000, None)
    assert result.is_due
    assert result.why == "The context has ~10,000 tokens; notes are taken for the first time at 10,000."


def test_later_notes_wait_for_growth_and_for_three_calls_or_a_rest() -> None:
    last = LastUpdate(10_000)
    cases = [
        (talk(3), 14_999, False, "has grown by ~4,999 tokens"),
        (talk(3), 15_000, True, "5,000 and 3 are enough"),
        (talk(2), 15_000, False, "it is in the middle of something"),
        (talk(2, 0), 15_000, True, "the last turn has called no tool"),
        (talk(3), 8_000, False, "has ~2,000 tokens less"),
    ]
    for messages, tokens, expected, why in cases:
        result = check_due(messages, tokens, last)
        assert (result.is_due, why in result.why) == (expected, True), result.why


def test_only_calls_after_what_the_notes_cover_count() -> None:
    messages = talk(3, 1)
    assert check_due(messages, 20_000, LastUpdate(10_000, messages[1].uuid)).calls == 1
    assert check_due(messages, 20_000, LastUpdate(10_000, "compacted away")).calls == 4


def test_nothing_but_the_main_thread_has_notes() -> None:
    assert check_due(talk(3), 50_000, None, main=False).why == "Notes are only taken of the main thread of a session."
