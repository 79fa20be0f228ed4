"""What holds after any sequence of mechanisms on any conversation.

Few examples by default; `make slow` plays thousands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from compaction.mechanisms.engine import CachedConfig, MicrocompactConfig, PipelineState, TimedConfig, run_pipeline
from compaction.mechanisms.engine.fingerprint import fingerprint
from compaction.mechanisms.engine.microcompact import MicrocompactState
from compaction.mechanisms.engine.microcompact.cached import tokens_deleted
from compaction.mechanisms.engine.microcompact.timed import ClearingReport
from compaction.mechanisms.engine.report import Report
from sessions.transcripts.engine.messages import Message, replace_fields
from sessions.usage.engine.tokens import estimate
from tests.compaction.mechanisms.engine.sequences import THINKERS, THINKING, Plan, Player, Step, plans, refused, sent
from tests.examples import examples

pytestmark = pytest.mark.slow


BOUND = THINKERS[-1]
LATE = MicrocompactConfig(TimedConfig(enabled=True, gap_minutes=10**9), CachedConfig(trigger=10**9))
"""Both kinds are on, and neither ever finds a reason to clear more."""
SEEN_BY_THE_MODEL_ONLY = "cached microcompact"
"""It counts what the model sees; the array keeps its size."""

some = settings(
    max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@some
@given(plans())
def test_the_api_takes_every_request(plan: Plan) -> None:
    player = Player(plan)
    for step in player.play():
        assert refused(step.outcome.array, step.model, plan.kindred.mode, given=step.given) == [], step.operation
    for model, request in player.requests:
        mode = plan.kindred.mode if request.thinking else {"type": "disabled"}
        assert refused(sent(request), model, mode) == []


@some
@given(plans())
def test_no_call_is_parted_from_its_result(plan: Plan) -> None:
    for step in Player(plan).play():
        given_calls, given_results = tools(step.given)
        calls, results = tools(step.outcome.messages)
        assert calls == results
        assert calls <= given_calls & given_results


@some
@given(plans())
def test_what_no_report_mentions_is_as_it_was(plan: Plan) -> None:
    for step in Player(plan).play():
        changed = {change.uuid for report in step.outcome.report.stages for change in report.changes}
        given_by_uuid = {message.uuid: message for message in step.given}
        order = [message.uuid for message in step.outcome.messages if message.uuid in given_by_uuid]
        assert order == [uuid for uuid in given_by_uuid if uuid in set(order)]
        for message in step.outcome.messages:
            if message.uuid in given_by_uuid and message.uuid not in changed:
                assert message is given_by_uuid[message.uuid]


@some
@given(plans())
def test_the_same_input_and_state_give_the_same_bytes_also_after_a_reload(plan: Plan) -> None:
    for step in Player(plan).play():
        assert step.again.array == step.outcome.array
        assert step.again.state.to_bytes() == step.outcome.state.to_bytes()
        assert PipelineState.from_bytes(step.outcome.state.to_bytes()) == step.outcome.state


@some
@given(plans())
def test_nothing_grows_but_by_what_a_report_adds(plan: Plan) -> None:
    for step in Player(plan).play():
        report = step.outcome.report
        assert report.tokens_before == estimate(step.given)
        cached = step.outcome.state.microcompact.cached
        deleted = tokens_deleted(step.outcome.messages, cached) if step.outcome.cache_edits else 0
        assert report.tokens_after == estimate(step.outcome.messages) - deleted
        for stage in report.stages:
            added = sum(change.tokens_after - change.tokens_before for change in stage.changes)
            if stage.changes:
                assert stage.tokens_after - stage.tokens_before == added, stage.mechanism
            if stage.tokens_after > stage.tokens_before:
                assert stage.mechanism in ("nudge", "snip tags", "replay") or placeholders_only(stage)
        assert deleted >= 0
        assert report.tokens_after + deleted - report.tokens_before == sum(grown(stage) for stage in report.stages)


@some
@given(plans(operations=("run", "run", "cold", "auto", "notes", "full", "from", "up to", "snip", "recover")))
def test_a_request_begins_with_the_bytes_of_the_last_unless_something_new_is_decided(plan: Plan) -> None:
    for earlier, later in pairwise(Player(plan).play()):
        if later.operation == "run" and later.model == earlier.model and not cleared_now(later):
            # What is added may join the last element, so that one is left out.
            before = earlier.outcome.array[:-1]
            assert later.outcome.array[: len(before)] == before, earlier.operation


@some
@given(plans())
def test_without_the_records_the_conversation_is_whole(plan: Plan) -> None:
    """Each record is dropped the way a person would drop it, while every mechanism stays switched on."""
    player = Player(plan)
    for step in player.play():
        state = undone(step.outcome.state)
        config = replace(player.config("collapse"), microcompact=LATE, cache_edits=True, snip_tool=False)
        whole = run_pipeline(step.given, config, state, now=step.given[-1].at or 0.0)
        reminders = {reminder.message.uuid for reminder in state.reminders}
        output = [message for message in whole.messages if message.uuid not in reminders]
        if plan.kindred is BOUND or plan.switch:
            # Thinking that was signed behind an edit dies with it, and so does that of another model.
            output, given_then = [*map(unthinking, output)], [*map(unthinking, step.given)]
            assert [entry for entry in output if entry.content] == [entry for entry in given_then if entry.content]
        else:
            assert output == step.given
        assert whole.cache_edits == ()


@some
@given(plans(thinkers=[BOUND]))
def test_thinking_is_sent_only_behind_what_it_was_signed_with(plan: Plan) -> None:
    """Each answer signs the request that it answers, so a later request may only repeat it word for word."""
    signed: dict[str, str] = {}
    for step in Player(plan).play():
        for key, before in thoughts(step.outcome.array):
            assert signed.get(key, before) == before, step.operation
        for key in answered_next(plan.messages, len(step.given)):
            signed[key] = whole(step.outcome.array)


def undone(state: PipelineState) -> PipelineState:
    if state.compactions:
        state = state.without_compaction(state.compactions[0].boundary.uuid)
    budget, snip, collapse = state.budget, state.snip, state.collapse
    for tool in state.budget.replacements:
        budget = budget.without(tool)
    for entry in state.snip.snips:
        snip = snip.without(entry.uuid)
    for commit in state.collapse.commits:
        collapse = collapse.without(commit.collapse_id)
    timed, cached = state.microcompact.timed, state.microcompact.cached
    for pin in cached.pinned:
        cached = cached.without(pin.after)
    cleared = MicrocompactState(timed.without(timed.cleared), cached)
    return replace(state, budget=budget, snip=snip, collapse=collapse, microcompact=cleared)


def unthinking(message: Message) -> Message:
    return replace_fields(message, content=tuple(block for block in message.content if block["type"] not in THINKING))


def placeholders_only(stage: Report) -> bool:
    """A result of a few characters is shorter than the words that say it was cleared."""
    grown = [change for change in stage.changes if change.tokens_after > change.tokens_before]
    return stage.mechanism == "microcompact" and all(change.tokens_after < 15 for change in grown)


def cleared_now(step: Step) -> bool:
    report = step.outcome.report.stage("microcompact")
    return isinstance(report, ClearingReport) and report.cleared_anew


def tools(messages: Any) -> tuple[set[str], set[str]]:
    blocks = [block for message in messages for block in message.content]
    calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
    return calls, {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}


def grown(stage: Report) -> int:
    if stage.mechanism == SEEN_BY_THE_MODEL_ONLY:
        return 0
    return stage.tokens_after - stage.tokens_before


def thoughts(array: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Of each first thinking block of an answer: its signature, and a print of everything else before the answer."""
    chain = ""
    for element in array:
        blocks = element["content"]
        if blocks[0]["type"] in THINKING:
            yield str(blocks[0].get("signature") or blocks[0].get("data")), chain
        for block in blocks:
            if block["type"] not in THINKING:
                chain = fingerprint(block, chain)


def whole(array: list[dict[str, Any]]) -> str:
    chain = ""
    for element in array:
        for block in element["content"]:
            if block["type"] not in THINKING:
                chain = fingerprint(block, chain)
    return chain


def answered_next(messages: list[Message], place: int) -> list[str]:
    """The thinking that the response at this place begins with."""
    first = messages[place].content[0]
    return [str(first.get("signature") or first.get("data"))] if first["type"] in THINKING else []
