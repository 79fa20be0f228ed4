"""What the API takes before a mechanism ran, it takes afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compaction.mechanisms.engine.collapse import CollapseConfig, collapse
from compaction.mechanisms.engine.microcompact.forecast import forecast_clear_tool_uses
from compaction.mechanisms.engine.microcompact.timed import TimedConfig, timed_microcompact
from compaction.mechanisms.engine.snip.nudge import nudge
from compaction.mechanisms.engine.snip.removal import short_id, snip, tag_inputs
from compaction.mechanisms.engine.tool_result_limit.limit import BudgetConfig, limit_tool_results
from sessions.lint.engine import Severity, lint_request
from sessions.transcripts.engine.messages import Message, MessageKind, join_messages
from sessions.usage.engine.tokens import Limits
from tests.examples import examples
from tests.sessions.transcripts.engine.messages.conversations import requests

some = settings(
    max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
MODEL = "claude-opus-4-6"
COLLAPSE = CollapseConfig(enabled=True, keep_tokens=500, least=200, most=5_000, least_score=0.0)
Mechanism = Callable[[Sequence[Message]], Sequence[Message]]


def every_other_turn(messages: Sequence[Message]) -> Sequence[Message]:
    inputs = [short_id(message.uuid) for message in messages if message.kind is MessageKind.PROMPT]
    return snip(messages, inputs[::2]).messages


def collapsed(messages: Sequence[Message]) -> Sequence[Message]:
    return collapse(messages, COLLAPSE, limits=Limits(window=21_000), summarise=lambda span: "tides").messages


MECHANISMS: dict[str, Mechanism] = {
    "budget": lambda messages: limit_tool_results(messages, BudgetConfig(per_result=5_000, per_message=9_000)).messages,
    "snip": every_other_turn,
    "tags": lambda messages: tag_inputs(messages).messages,
    "nudge": lambda messages: nudge(messages, tokens=99_999).messages,
    "timed": lambda messages: timed_microcompact(messages, TimedConfig(enabled=True, keep=1), now=2e9).messages,
    "forecast": lambda messages: (
        forecast_clear_tool_uses(
            messages, {"keep": {"value": 0}, "clear_tool_inputs": True}, input_tokens=999_999
        ).messages
    ),
    "collapse": collapsed,
}


def refused(messages: Sequence[Message]) -> set[str]:
    body = {"model": MODEL, "max_tokens": 1_000, "messages": join_messages(messages)}
    return {finding.rule for finding in lint_request(body) if finding.severity is Severity.REFUSED}


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
@given(data=st.data())
@some
def test_no_mechanism_makes_a_request_that_is_refused(name: str, data: st.DataObject) -> None:
    messages = data.draw(requests(model=MODEL, turns=4))
    assert refused(MECHANISMS[name](messages)) <= refused(messages)
