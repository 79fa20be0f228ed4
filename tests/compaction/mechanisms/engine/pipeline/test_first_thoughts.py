"""The thoughts that the turn begins with which goes on: not every edit may take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from compaction.mechanisms.engine import CollapseConfig, PipelineConfig, PipelineState, run_pipeline
from compaction.mechanisms.engine.collapse import CollapseState, StagedSpan, collapse
from compaction.mechanisms.engine.collapse.state import commit_span
from compaction.mechanisms.engine.snip.removal import short_id, snip
from sessions.lint.engine import lint_request
from sessions.transcripts.engine.messages import Message, MessageKind, replace_fields, text_block
from tests.sessions.transcripts.engine.spoken import START, Talk
from tests.sessions.transcripts.engine.talk import NOON, answered, call, returned, typed, uuid_of

TODOS, BUG = typed("collect what is left to do"), typed("logging in is broken")
BUDGETED, FREE = "claude-opus-4-5", "claude-opus-4-6"


def amid_a_turn() -> list[Message]:
    """The second turn was summarised from its middle on, and the model goes on from its result."""
    thinking = {"type": "thinking", "thinking": "", "signature": "signed"}
    return [
        TODOS,
        answered("none left"),
        BUG,
        answered("", thinking, call("toolu_01"), id="looking"),
        returned(("toolu_01", "500 " * 40)),
        Message("user", (text_block("In short."),), MessageKind.SUMMARY, uuid_of("summary")),
        answered("", call("toolu_02")),
        returned(("toolu_02", "200")),
    ]


def snipped(*inputs: Message) -> PipelineState:
    state = PipelineState().snip
    for item in inputs:
        state = snip(
            [*amid_a_turn()[:5], answered("found it"), typed("thanks")], [short_id(item.uuid)], state=state
        ).state
    return PipelineState(snip=state)


def shown(messages: Sequence[Message], state: PipelineState, model: str) -> tuple[list[str], PipelineState]:
    outcome = run_pipeline(messages, PipelineConfig(model=model), state, now=NOON + 1)
    return [message.uuid for message in outcome.messages], outcome.state


def test_a_snip_that_takes_the_first_thoughts_is_taken_back_for_good() -> None:
    messages = amid_a_turn()
    uuids, state = shown(messages, snipped(TODOS, BUG), BUDGETED)
    assert uuids == [message.uuid for message in messages[2:]]
    over = [*messages, answered("it is well again"), typed("thanks")]
    later, _ = shown(over, state, BUDGETED)
    assert later == [message.uuid for message in over[2:]]


def test_a_model_that_need_not_think_first_is_sent_no_snipped_turn() -> None:
    messages = amid_a_turn()
    uuids, _ = shown(messages, snipped(BUG), FREE)
    assert uuids == [message.uuid for message in (*messages[:2], *messages[5:])]


def collapsed(messages: Sequence[Message]) -> CollapseState:
    """The answer of the second turn that thinks, and its result."""
    return CollapseState(commits=(commit_span(messages[3:5], "It looked at the logs."),))


@pytest.mark.parametrize(("model", "back"), [(BUDGETED, True), (FREE, False)])
def test_a_collapsed_span_with_the_first_thoughts_is_taken_back_for_good(model: str, back: bool) -> None:
    messages = amid_a_turn()
    config = PipelineConfig(model=model, collapse=CollapseConfig(enabled=True))
    outcome = run_pipeline(messages, config, PipelineState(collapse=collapsed(messages)), now=NOON + 1)
    assert (messages[3] in outcome.messages) is back
    assert (outcome.report.stage("collapse taken back") is not None) is back
    over = [*messages, answered("it is well again"), typed("thanks")]
    later = run_pipeline(over, config, outcome.state, now=NOON + 1)
    assert later.array[: len(outcome.array)] == outcome.array


def test_a_span_that_was_chosen_before_it_held_the_first_thoughts_is_not_collapsed() -> None:
    messages = amid_a_turn()
    staged = StagedSpan(messages[3].uuid, messages[4].uuid, 50, 1.0, "Short.")
    state = CollapseState(staged=(staged,), armed=True)
    eager = CollapseConfig(enabled=True, stage_at=0.0, commit_at=0.0, target=0.0)
    assert collapse(messages, eager, state).messages is messages
    over = [*messages, answered("it is well again"), typed("thanks")]
    assert len(collapse(over, eager, state).messages) == len(over) - 1


def taken_over() -> Talk:
    """A model has planned, and another carries the plan out: the turn is not over yet."""
    talk = Talk()
    talk.prompt("plan it")
    talk.says("planned", thinks="earlier")
    talk.prompt("do it")
    talk.reads("tides.py", thinks="hm")
    talk.messages = [
        replace_fields(item, model="claude-opus-4-5") if item.message_id else item for item in talk.messages
    ]
    return talk


def thoughts(array: Sequence[dict[str, Any]]) -> list[str]:
    return [block["thinking"] for element in array for block in element["content"] if block["type"] == "thinking"]


def test_a_turn_that_a_model_takes_over_keeps_its_first_thoughts_where_it_needs_some() -> None:
    talk, config = taken_over(), PipelineConfig(model="claude-sonnet-4-5")
    outcome = run_pipeline(talk.messages, config, now=START)
    assert thoughts(outcome.array) == ["hm"]
    thinking = {"type": "enabled", "budget_tokens": 1_024}
    body = {"model": config.model, "max_tokens": 2_000, "messages": outcome.array, "thinking": thinking}
    assert [item.rule for item in lint_request(body) if item.severity == "refused"] == []
    talk.says("done")
    talk.messages[-1] = replace_fields(talk.messages[-1], model=config.model)
    talk.prompt("thanks")
    assert run_pipeline(talk.messages, config, now=START).array[: len(outcome.array)] == outcome.array


def test_a_model_that_need_not_think_first_takes_a_turn_over_without_foreign_thoughts() -> None:
    outcome = run_pipeline(taken_over().messages, PipelineConfig(model="claude-sonnet-5"), now=START)
    assert thoughts(outcome.array) == []
