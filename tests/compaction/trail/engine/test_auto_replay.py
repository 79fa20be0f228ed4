from __future__ import annotations

from dataclasses import replace

from compaction.mechanisms.engine import CachedConfig, MicrocompactConfig, PipelineConfig
from compaction.trail.engine.auto_replay import AutoReplay, Began, RecordedRequest, ReplayStep
from sessions.transcripts.engine.messages import Message, replace_fields
from sessions.usage.engine.tokens import estimate
from tests.sessions.transcripts.engine.spoken import START, Talk

CONFIG = PipelineConfig(window=60_000, cache_edits=True)
"""The threshold is at 27,000 tokens."""


def requests(turns: int, size: int = 3_000) -> list[RecordedRequest]:
    talk, recorded = Talk(), []
    for number in range(turns):
        talk.prompt(f"question {number}")
        talk.reads(f"{number}.py", "x" * size, says="looking")
        recorded.append(request(number, list(talk.messages)))
        talk.says(f"answer {number}")
    return recorded


def request(number: int, messages: list[Message], start: int = 0) -> RecordedRequest:
    size = 5_000 + estimate(messages)
    return RecordedRequest(f"msg_{number}", number, START + 100 * number, "", messages, start, size, size - 1_000)


def play(recorded: list[RecordedRequest], config: PipelineConfig = CONFIG) -> list[ReplayStep]:
    replay = AutoReplay(config)
    return [replay.step(each) for each in recorded]


def test_edits_of_the_cache_are_pinned_and_repeated_with_each_request() -> None:
    steps = play(requests(14))
    assert [step.pinned for step in steps] == [0] * 11 + [7] * 3
    assert [mechanism for mechanism, _ in steps[11].acts] == ["cached microcompact"]
    assert steps[12].acts == ()
    # What is deleted is no part of the prompt any more.
    assert steps[12].tokens < requests(14)[12].prompt - 7 * 900


def test_they_end_when_reads_from_the_cache_fall() -> None:
    recorded = requests(14)
    recorded[13] = replace(recorded[13], read=100)
    lost = play(recorded)[13]
    assert lost.lost_cache
    assert [mechanism for mechanism, _ in lost.acts] == ["cached microcompact"]
    assert lost.pinned == 9


def test_a_compaction_empties_what_was_remembered_and_tells_how_many_answers_came_since() -> None:
    config = replace(CONFIG, microcompact=MicrocompactConfig(cached=CachedConfig(trigger=8, keep=7)))
    compacted = [step for step in play(requests(60, 9_000), config) if step.recompaction is not None]
    assert len(compacted) > 1
    assert [step.recompaction.is_one for step in compacted[:2] if step.recompaction] == [False, True]
    assert compacted[1].recompaction is not None
    assert compacted[1].recompaction.turns_since > 3
    assert "had been, and" in dict(compacted[0].acts)["clean-up"]
    assert compacted[0].pinned == 0


def test_one_of_a_sub_agent_empties_nothing_that_the_session_shares() -> None:
    steps = play(requests(40), replace(CONFIG, source="agent"))
    assert any(step.recompaction for step in steps)
    assert not any(mechanism == "clean-up" for step in steps for mechanism, _ in step.acts)
    assert not any(step.pinned for step in steps)


def test_a_refused_request_is_answered_by_a_compaction_whatever_its_size() -> None:
    recorded = requests(6)
    recorded[5] = replace(recorded[5], error="prompt is too long: 208310 tokens > 200000 maximum")
    step = play(recorded)[5]
    assert step.recovered
    assert step.tokens < step.threshold


def test_the_mechanisms_begin_anew_where_the_session_does() -> None:
    recorded = requests(3)
    talk = Talk()
    talk.prompt("something else")
    other = request(3, list(talk.messages))
    assert [step.began for step in play([*recorded, other])] == [Began.FIRST, None, None, Began.WENT_BACK]
    assert play([*recorded, replace(other, start=7)])[-1].began is Began.COMPACTED


def test_thinking_is_left_out_after_a_switch_of_the_model_and_told_once() -> None:
    talk, recorded = Talk(), []
    for number, model in enumerate(("claude-opus-5-5", "claude-opus-5-5", "claude-sonnet-5-5", "claude-sonnet-5-5")):
        talk.prompt(f"question {number}")
        recorded.append(replace(request(number, list(talk.messages)), model=model))
        thought = {"type": "thinking", "thinking": "Hm.", "signature": f"signed {number}"}
        answer = talk.says(f"answer {number}")
        talk.messages[-1] = replace_fields(answer, model=model, content=(thought, *answer.content))
    acts = [[mechanism for mechanism, _ in step.acts] for step in play(recorded)]
    assert acts == [[], [], ["foreign thinking"], []]
