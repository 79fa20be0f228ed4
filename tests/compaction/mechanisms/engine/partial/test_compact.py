from __future__ import annotations

import pytest

from compaction.mechanisms.engine.compaction.boundary import Direction, is_boundary
from compaction.mechanisms.engine.compaction.occasion import Occasion
from compaction.mechanisms.engine.full.request import RequestPath
from compaction.mechanisms.engine.partial.compact import partial_compact
from sessions.transcripts.engine.messages import join_messages
from tests.compaction.mechanisms.engine.summarising import SUMMARY, Model
from tests.sessions.transcripts.engine.spoken import Talk, ids, texts


def work() -> Talk:
    """m1 asks, m2 calls, m3 brings the result, m4 answers; m5 to m8 the same."""
    talk = Talk()
    for number in range(2):
        talk.prompt(f"do {number}")
        talk.reads(f"{number}.py", "x" * 3_000)
        talk.says(f"done {number}")
    return talk


def test_from_a_pivot_what_comes_before_stays_and_comes_first() -> None:
    talk = work()
    model = Model()
    outcome = partial_compact(talk.messages, "m5", Direction.FROM, model)
    boundary, *kept_messages, summary = outcome.messages
    assert is_boundary(boundary)
    assert all(left is right for left, right in zip(kept_messages, talk.messages[:4], strict=True))
    assert SUMMARY in texts([summary])[0]
    assert join_messages(outcome.messages)[:4] == join_messages(talk.messages)[:4]


def test_from_a_pivot_everything_is_sent_and_the_prompt_says_where_to_begin() -> None:
    talk = work()
    model = Model()
    partial_compact(talk.messages, "m5", Direction.FROM, model)
    (request,) = model.requests
    assert ids(request.messages)[:-1] == ids(talk.messages)
    assert '"do 1"' in texts(request.messages)[-1]


def test_up_to_a_pivot_what_follows_stays_behind_the_summary() -> None:
    talk = work()
    model = Model()
    outcome = partial_compact(talk.messages, "m5", Direction.UP_TO, model)
    _, summary, *kept_messages = outcome.messages
    assert SUMMARY in texts([summary])[0]
    assert all(left is right for left, right in zip(kept_messages, talk.messages[4:], strict=True))
    assert ids(model.requests[0].messages)[:-1] == ids(talk.messages[:4])
    assert "Context for Continuing Work" in texts(model.requests[0].messages)[-1]


@pytest.mark.parametrize(
    ("model", "thinks", "path"),
    [
        ("claude-opus-4-5", "first", RequestPath.DIRECT),
        ("claude-opus-4-5", "", RequestPath.FORK),
        ("claude-opus-4-6", "first", RequestPath.FORK),
        ("", "first", RequestPath.FORK),
    ],
)
def test_a_part_that_lost_its_first_thoughts_is_not_asked_about_as_a_fork(
    model: str, thinks: str, path: RequestPath
) -> None:
    """A model that thinks with a budget refuses a turn that goes on from results without its thinking."""
    talk = work()
    talk.prompt("more")
    talk.says("done", thinks=thinks)
    model_asked = Model()
    partial_compact(talk.messages, "m4", Direction.UP_TO, model_asked, occasion=Occasion(model=model))
    assert [request.path for request in model_asked.requests] == [path]


def test_the_direction_is_recorded_with_the_summary() -> None:
    for direction, anchor in ((Direction.FROM, "boundary"), (Direction.UP_TO, "summary")):
        compaction = partial_compact(work().messages, "m5", direction, Model()).state.compaction
        assert compaction is not None
        boundary, summary = compaction.to_records()
        assert summary["summarizeMetadata"] == {"messagesSummarized": 4, "direction": str(direction)}
        segment = compaction.boundary.preserved_segment
        assert segment is not None
        assert segment.anchor_uuid == (boundary if anchor == "boundary" else summary)["uuid"]


def test_other_places_are_refused_without_asking() -> None:
    talk = work()
    model = Model()
    for pivot in ("m1", "m3", "m7", "nowhere"):
        outcome = partial_compact(talk.messages, pivot, Direction.UP_TO, model)
        assert outcome.messages is talk.messages
        assert outcome.report.why.startswith("The conversation cannot be cut at that message: ")
        assert not outcome.state.failed
    assert model.requests == []
