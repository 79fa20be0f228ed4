from __future__ import annotations

from pathlib import Path

import pytest

from memory.recall.engine import CompactionEvent, KnownBy, KnownMemory, UserMessage, state_of
from memory.recall.selectors.sessions import events_of, events_with_messages, latest_messages, message_of
from sessions.timeline.selectors.entries import find_entry
from tests.memory.recall.recalls import Harbour

pytestmark = pytest.mark.django_db


def test_a_session_knows_what_was_injected_and_read_since_its_last_compaction(tmp_path: Path) -> None:
    harbour = Harbour(tmp_path)
    transcript = harbour.read()
    values = {}
    for uuid in (harbour.first, harbour.second, harbour.third):
        message = message_of(transcript, find_entry(transcript, uuid)[1])
        state = state_of(events_of(harbour.shelf.directory, transcript, until=message.position))
        known = {name: memory.how for name, memory in state.known.items()}
        values[message.text] = (known, state.injected, state.compacted is not None)

    assert values == {
        "When do the tides come?": ({}, 0, False),
        "And which boats sail with the tides?": ({"tides.md": KnownBy.SURFACED, "boats.md": KnownBy.READ}, 700, False),
        "Once more: the tides and the boats?": ({}, 0, True),
    }


def test_what_people_said_stands_among_what_happened_and_the_summary_is_none_of_it(tmp_path: Path) -> None:
    harbour = Harbour(tmp_path)
    transcript = harbour.read()

    events = events_with_messages(harbour.shelf.directory, transcript)

    assert [type(event) for event in events] == [
        UserMessage,
        KnownMemory,
        KnownMemory,
        UserMessage,
        CompactionEvent,
        UserMessage,
        UserMessage,
        UserMessage,
    ]
    assert [event.text for event in events if isinstance(event, UserMessage)][3:] == [
        "Thanks",
        "Rename the package entirely.",
    ]
    latest = latest_messages(harbour.shelf.directory, 2)
    assert [(message.text, message.address) for message in latest] == [
        ("Rename the package entirely.", harbour.fourth),
        ("Thanks", harbour.word),
    ]
