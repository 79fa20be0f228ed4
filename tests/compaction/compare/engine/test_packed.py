from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compaction.compare.engine.packed import OPEN, STRETCH, PackedMessages
from sessions.transcripts.engine.messages import Message, MessageKind


def message(number: int, text: str = "words") -> Message:
    return Message(
        "user", ({"type": "text", "text": f"{text} {number}"},), MessageKind.PROMPT, f"u{number}", position=number
    )


@given(st.integers(0, 3 * STRETCH), st.text())
def test_messages_come_out_as_they_went_in(count: int, text: str) -> None:
    messages = [message(number, text) for number in range(count)]
    packed = PackedMessages(messages)
    assert (len(packed), list(packed), [packed[index] for index in range(count)]) == (count, messages, messages)
    assert packed[1:-1] == tuple(messages[1:-1])


def test_halves_of_characters_are_kept() -> None:
    assert PackedMessages([message(1, "\udce4")])[-1] == message(1, "\udce4")


def test_what_was_looked_at_does_not_stay_unpacked_for_ever() -> None:
    packed = PackedMessages([message(number) for number in range((OPEN + 4) * STRETCH)])
    for index in range(0, len(packed), 7):
        assert packed[index].position == index
    assert len(packed._open) == OPEN
