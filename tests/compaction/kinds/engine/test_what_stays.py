"""However often a session is compacted, and in whatever ways: what is pinned stays word for word, and no rule of the
user gets lost that an earlier summary held."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compaction.kinds.engine import KindSpec, Parameters, apply_kind
from compaction.kinds.engine.specs import KINDS
from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.collapse import COLLAPSE
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.microcompact import MICROCOMPACT
from compaction.kinds.engine.specs.session_memory import SESSION_MEMORY
from compaction.kinds.engine.specs.snip import SNIP
from compaction.mechanisms.engine import Effects, Notes, legal_pivots
from sessions.transcripts.engine.messages import Message, MessageKind, replace_fields, text_block
from tests.compaction.mechanisms.engine.summarising import Model
from tests.examples import examples
from tests.sessions.transcripts.engine.messages.conversations import conversations
from tests.sessions.transcripts.engine.spoken import Talk

some = settings(
    max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
SETTINGS = {
    BUDGET: {"per_result": "300", "preview": "40"},
    COLLAPSE: {"keep_tokens": "50", "least": "10", "least_score": "0"},
    AUTO: {"percent": "1", "budget.per_result": "300", "timed.enabled": "on", "timed.keep": "1"},
    MICROCOMPACT: {"keep": "1"},
    SESSION_MEMORY: {"keep_tokens": "50", "keep_text_messages": "1"},
}
RULES = (
    "Never touch the gauge at Gull Haven.",
    "Always measure heights in metres.",
    "Do not push to the main branch.",
    "From now on, answer in whole sentences only.",
)
TAKEN_BACK = "You may now touch the gauge at Gull Haven."
MODEL = "claude-opus-5-5"


@dataclass(frozen=True)
class Step:
    kind: KindSpec
    number: int
    rules: str
    says: str


def steps(kinds: Sequence[KindSpec], says: Sequence[str]) -> st.SearchStrategy[list[Step]]:
    rules = st.sampled_from(("articles", "2.0.76", "2.1.327"))
    step = st.builds(Step, st.sampled_from(kinds), st.integers(0, 20), rules, st.sampled_from(says))
    return st.lists(step, min_size=1, max_size=4)


def compacted(messages: Sequence[Message], step: Step, pinned: frozenset[str] = frozenset()) -> Sequence[Message]:
    kind = step.kind
    parameters = Parameters(settings=SETTINGS.get(kind, {}))
    if kind.direction is not None:
        pivots = legal_pivots(messages, kind.direction, MODEL)
        if not pivots:
            return messages
        parameters = Parameters(pivot=pivots[step.number % len(pivots)])
    if kind is SNIP:
        prompts = [message.uuid for message in messages if message.kind is MessageKind.PROMPT] or ["none"]
        parameters = Parameters(ids=(prompts[step.number % len(prompts)],))
    if kind.runs_hooks:
        parameters = Parameters(parameters.pivot, settings={**SETTINGS.get(kind, {}), "rules": step.rules})
    effects = Effects(
        summarise=Model() if step.number % 2 else None,
        summarise_span=lambda span: "tides",
        read_notes=lambda: Notes("# Worklog\nThe tides were read.\n"),
        pinned=pinned,
    )
    now = (messages[-1].at or 0.0) + 7_300.0
    return apply_kind(kind, messages, parameters, effects=effects, now=now, model=MODEL).after


def turn(words: str, number: int) -> list[Message]:
    talk = Talk()
    talk.prompt(words)
    talk.says(f"Done {number}. " * 200)
    return [
        replace_fields(message, uuid=f"{message.uuid}-{number}", message_id=message.message_id and f"later_{number}")
        for message in talk.messages
    ]


def written(messages: Sequence[Message]) -> str:
    return "\n".join(
        str(block.get("text") or json.dumps(block, ensure_ascii=False))
        for message in messages
        for block in message.content
    )


@pytest.mark.slow
@given(
    messages=conversations(model=MODEL), places=st.lists(st.integers(0, 200), min_size=1, max_size=3), data=st.data()
)
@some
def test_what_is_pinned_is_there_after_any_compactions(
    messages: list[Message], places: list[int], data: st.DataObject
) -> None:
    marks: list[str] = []
    for number, place in enumerate(places):
        index = place % len(messages)
        message = messages[index]
        mark = f"pinned words {number}"
        if message.kind in (MessageKind.PROMPT, MessageKind.ANSWER) and message.uuid not in marks:
            messages[index] = replace_fields(message, content=(*message.content, text_block(mark)))
            marks += [message.uuid]
    pinned = frozenset(marks)
    expected = {
        str(block["text"])
        for message in messages
        if message.uuid in pinned
        for block in message.content
        if block.get("type") == "text"
    }
    view: Sequence[Message] = messages
    for step in data.draw(steps(KINDS, ("",))):
        view = compacted(view, step, pinned)
        text = written(view)
        assert not [words for words in expected if words not in text], step


@pytest.mark.slow
@given(data=st.data())
@some
def test_a_recompaction_loses_no_rule_that_was_not_taken_back(data: st.DataObject) -> None:
    talk = Talk()
    for rule in RULES:
        talk.prompt(rule)
        talk.says("I will keep to that. " * 20)
    talk.prompt("Now read the tables.")
    talk.says("They are read. " * 40)
    view: Sequence[Message] = compacted(talk.messages, Step(FULL, 0, "2.0.76", ""))
    held = set(RULES)
    assert all(rule in written(view) for rule in held)
    for number, step in enumerate(data.draw(steps(KINDS, ("Go on.", "Do not push any more.", TAKEN_BACK)))):
        if step.says == TAKEN_BACK:
            held.discard(RULES[0])
        view = compacted([*view, *turn(step.says, number)], step)
        text = written(view)
        assert not [rule for rule in held if rule not in text], step
