"""A snip of the turn that the one that goes on begins in."""

from __future__ import annotations

from collections.abc import Sequence

from compaction.engine import PipelineConfig, PipelineState, run_pipeline
from compaction.engine.snip import short_id, snip
from sessions.engine.messages import Kind, Message, text_block
from tests.compaction.engine.talk import NOON, answered, call, returned, said, uuid_of

TODOS, BUG = said("collect what is left to do"), said("logging in is broken")
BUDGETED, FREE = "claude-opus-4-5", "claude-opus-4-6"


def amid_a_turn() -> list[Message]:
    """The second turn was summarised from its middle on, and the model goes on from its result."""
    thinking = {"type": "thinking", "thinking": "", "signature": "signed"}
    return [
        TODOS,
        answered("none left"),
        BUG,
        answered("", thinking, call("toolu_01"), id="looking"),
        returned(("toolu_01", "500")),
        Message("user", (text_block("In short."),), Kind.SUMMARY, uuid_of("summary")),
        answered("", call("toolu_02")),
        returned(("toolu_02", "200")),
    ]


def snipped(*inputs: Message) -> PipelineState:
    state = PipelineState().snip
    for one in inputs:
        state = snip(
            [*amid_a_turn()[:5], answered("found it"), said("thanks")], [short_id(one.uuid)], state=state
        ).state
    return PipelineState(snip=state)


def shown(messages: Sequence[Message], state: PipelineState, model: str) -> tuple[list[str], PipelineState]:
    outcome = run_pipeline(messages, PipelineConfig(model=model), state, now=NOON + 1)
    return [message.uuid for message in outcome.messages], outcome.state


def test_a_snip_that_takes_the_first_thoughts_is_taken_back_for_good() -> None:
    messages = amid_a_turn()
    uuids, state = shown(messages, snipped(TODOS, BUG), BUDGETED)
    assert uuids == [message.uuid for message in messages[2:]]
    over = [*messages, answered("it is well again"), said("thanks")]
    later, _ = shown(over, state, BUDGETED)
    assert later == [message.uuid for message in over[2:]]


def test_a_model_that_need_not_think_first_is_sent_no_snipped_turn() -> None:
    messages = amid_a_turn()
    uuids, _ = shown(messages, snipped(BUG), FREE)
    assert uuids == [message.uuid for message in (*messages[:2], *messages[5:])]
