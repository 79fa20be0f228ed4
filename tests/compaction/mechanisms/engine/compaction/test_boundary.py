from __future__ import annotations

from hypothesis import strategies as st

from compaction.mechanisms.engine.compaction.boundary import (
    Boundary,
    PreservedMessages,
    PreservedSegment,
    Trigger,
    index_after_boundary,
    is_boundary,
)
from sessions.transcripts.engine.messages import join_messages
from tests.sessions.transcripts.engine.spoken import Talk

names = st.text("abcdef-0123456789", min_size=1, max_size=8)
counts = st.integers(0, 10**6)
boundaries = st.builds(
    Boundary,
    uuid=names,
    trigger=st.sampled_from(Trigger),
    pre_tokens=counts,
    post_tokens=st.none() | counts,
    messages_summarized=st.none() | counts,
    discovered_tools=st.lists(names, max_size=3).map(tuple),
    preserved_segment=st.none() | st.builds(PreservedSegment, names, names, names),
    preserved_messages=st.none()
    | st.builds(PreservedMessages, names, st.lists(names).map(tuple), st.lists(names).map(tuple)),
    logical_parent_uuid=st.none() | names,
)


def test_the_record_is_that_of_the_client() -> None:
    segment = PreservedSegment("head", "anchor", "tail")
    boundary = Boundary("b", Trigger.MANUAL, 115_665, 12_994, 35, ("TaskCreate",), segment, None, "last")
    assert boundary.to_record() == {
        "parentUuid": None,
        "logicalParentUuid": "last",
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "level": "info",
        "uuid": "b",
        "compactMetadata": {
            "trigger": "manual",
            "preTokens": 115_665,
            "postTokens": 12_994,
            "messagesSummarized": 35,
            "preCompactDiscoveredTools": ["TaskCreate"],
            "preservedSegment": {"headUuid": "head", "anchorUuid": "anchor", "tailUuid": "tail"},
        },
    }


def test_the_model_never_sees_a_boundary() -> None:
    talk = Talk()
    talk.prompt("hello")
    messages = [Boundary("b", Trigger.AUTO, 0).to_message(), *talk.messages]
    assert join_messages(messages) == join_messages(talk.messages)


def test_the_floor_is_behind_the_last_boundary() -> None:
    talk = Talk()
    for word in ("one", "two", "three"):
        talk.prompt(word)
    first, second, third = talk.messages
    boundary = Boundary("b", Trigger.AUTO, 0).to_message()
    assert is_boundary(boundary)
    assert index_after_boundary([first, second]) == 0
    assert index_after_boundary([first, boundary, second, boundary, third]) == 4
