"""A session played from its first request to its last, with some mechanism at work before each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from compaction.mechanisms.engine import (
    AutoCompactConfig,
    CachedConfig,
    CollapseConfig,
    Direction,
    Effects,
    MicrocompactConfig,
    Notes,
    PipelineConfig,
    PipelineOutcome,
    PipelineState,
    SessionMemoryConfig,
    SummaryRequest,
    TimedConfig,
    compact_now,
    legal_pivots,
    recover,
    run_pipeline,
)
from compaction.mechanisms.engine.attachments import FileText
from compaction.mechanisms.engine.snip.removal import short_id, snip
from memory.notes.engine import last_summarized_after
from sessions.lint.engine import Severity, lint_request
from sessions.transcripts.engine.messages import Message, MessageKind, join_messages, replace_fields
from tests.compaction.mechanisms.engine.summarising import REPLY
from tests.sessions.transcripts.engine.messages.conversations import conversations

OPERATIONS = ("run", "auto", "notes", "cold", "cached", "collapse", "snip", "full", "from", "up to", "recover")
TOO_LONG = "prompt is too long: 208310 tokens > 200000 maximum"
NOTES = Notes("# Session Title\n_A title_\nTides\n\n# Worklog\n_Steps_\nMany.\n", "/s/summary.md")
THINKING = ("thinking", "redacted_thinking")
LOW = AutoCompactConfig(percent=1)
OFF = AutoCompactConfig(enabled=False)


@dataclass(frozen=True, slots=True)
class Kindred:
    """A model, how it thinks, and what a request says about that."""

    model: str
    other: str
    """One that thinks alike."""
    thinking: Any
    mode: dict[str, Any]


THINKERS = (
    Kindred("claude-opus-4-6", "claude-sonnet-4-6", "sometimes", {"type": "adaptive"}),
    Kindred("claude-opus-4-5", "claude-sonnet-4-5", "always", {"type": "enabled", "budget_tokens": 1_024}),
    Kindred("claude-opus-5-5", "claude-sonnet-5-5", "sometimes", {"type": "adaptive"}),
)


@dataclass(frozen=True, slots=True)
class Plan:
    kindred: Kindred
    messages: list[Message]
    operations: list[str]
    numbers: list[int]
    snip_tool: bool
    switch: int = 0
    """So many responses come from another model, before this one takes over."""

    def operation(self, step: int) -> str:
        return self.operations[step % len(self.operations)]

    def number(self, step: int) -> int:
        return self.numbers[step % len(self.numbers)]


def plans(*, operations: Sequence[str] = OPERATIONS, thinkers: Sequence[Kindred] = THINKERS) -> st.SearchStrategy[Plan]:
    def planned(kindred: Kindred) -> st.SearchStrategy[Plan]:
        return st.builds(
            Plan,
            st.just(kindred),
            conversations(thinking=kindred.thinking, model=kindred.model, turns=2),
            st.lists(st.sampled_from(operations), min_size=1, max_size=6),
            st.lists(st.integers(0, 10), min_size=1, max_size=4),
            st.booleans(),
            st.sampled_from((0, 0, 0, 1, 2, 4)),
        )

    return st.sampled_from(thinkers).flatmap(planned)


@dataclass(frozen=True, slots=True)
class Step:
    operation: str
    model: str
    given: list[Message]
    before: PipelineState
    outcome: PipelineOutcome
    again: PipelineOutcome
    """The same from the same state, after it was saved and loaded."""


@dataclass(slots=True)
class Player:
    plan: Plan
    model: str = ""
    """Who is asked next."""
    requests: list[tuple[str, SummaryRequest]] = field(default_factory=list)
    """For summaries: whom, and what."""

    def play(self) -> list[Step]:
        state, steps = PipelineState(), []
        messages = self.written()
        for step, end in enumerate(requests_in(messages)):
            given, self.model = messages[:end], messages[end].model
            operation = self.plan.operation(step)
            state = self.prepared(operation, given, state, self.plan.number(step))
            outcome = self.apply(operation, given, state, self.plan.number(step))
            second = self.apply(operation, given, PipelineState.from_bytes(state.to_bytes()), self.plan.number(step))
            steps.append(Step(operation, self.model, given, state, outcome, second))
            state = outcome.state
            messages[end] = self.thought_through(messages[end], outcome)
        return steps

    def written(self) -> list[Message]:
        responses = dict.fromkeys(message.message_id for message in self.plan.messages if message.message_id)
        others = set(list(responses)[: self.plan.switch])
        other = self.plan.kindred.other
        return [
            replace_fields(entry, model=other) if entry.message_id in others else entry for entry in self.plan.messages
        ]

    def thought_through(self, answer: Message, outcome: PipelineOutcome) -> Message:
        """Where thinking is enabled, an answer to an input begins with it, also if that input is a summary now."""
        results = any(block["type"] == "tool_result" for block in outcome.array[-1]["content"])
        if self.plan.kindred.mode["type"] != "enabled" or results or answer.content[0]["type"] in THINKING:
            return answer
        thinking = {"type": "thinking", "thinking": "", "signature": f"signed {answer.uuid}"}
        return replace_fields(answer, content=(thinking, *answer.content))

    def prepared(self, operation: str, given: list[Message], state: PipelineState, number: int) -> PipelineState:
        if operation == "notes" and number % 2:
            return replace(state, last_summarized=last_summarized_after(given[:-number], state.last_summarized))
        if operation == "snip":
            inputs = [message for message in given if message.kind is MessageKind.PROMPT][:-1]
            ids = [short_id(inputs[number % len(inputs)].uuid)] if inputs else []
            return replace(state, snip=snip(given, ids, state=state.snip).state)
        return state

    def apply(self, operation: str, given: list[Message], state: PipelineState, number: int) -> PipelineOutcome:
        now = (given[-1].at or 0.0) + (7_300.0 if operation == "cold" else 1.0)
        config, effects = self.config(operation), self.effects(operation)
        if operation in ("from", "up to"):
            direction = Direction.FROM if operation == "from" else Direction.UP_TO
            output = run_pipeline(given, config, state, now=now).messages
            pivots = legal_pivots(output, direction, config.model) or ("none",)
            pivot = pivots[number % len(pivots)]
            return compact_now(
                given, self.summarise, config, state, now=now, pivot=pivot, direction=direction, effects=effects
            )
        if operation == "full":
            return compact_now(given, self.summarise, config, state, now=now, effects=effects)
        if operation == "recover":
            return recover(given, TOO_LONG, config, state, now=now, effects=effects)
        return run_pipeline(given, config, state, now=now, effects=effects)

    def config(self, operation: str) -> PipelineConfig:
        base = PipelineConfig(
            model=self.model,
            snip_tool=self.plan.snip_tool,
            auto=LOW if operation in ("auto", "notes", "recover") else OFF,
            session_memory=SessionMemoryConfig(keep_tokens=200, keep_text_messages=2, keep_most_tokens=2_000),
            microcompact=MicrocompactConfig(TimedConfig(enabled=True, keep=1), CachedConfig(trigger=3, keep=1)),
            cache_edits=operation == "cached",
        )
        if operation == "collapse":
            eager = CollapseConfig(
                enabled=True, stage_at=0.0, commit_at=0.0, target=0.0, keep_tokens=100, least=20, least_score=0.0
            )
            return replace(base, collapse=eager)
        return base

    def effects(self, operation: str) -> Effects:
        return Effects(
            summarise=self.summarise,
            summarise_span=lambda span: f"{len(span)} messages",
            read_notes=(lambda: NOTES) if operation in ("notes", "recover") else None,
            read_file=lambda path: FileText.whole(f"text of {path}"),
            transcript_path="/s/session.jsonl",
        )

    def summarise(self, request: SummaryRequest) -> str:
        self.requests.append((self.model, request))
        return REPLY


def requests_in(messages: Sequence[Message]) -> list[int]:
    """Where each response begins: what stands before it was the request."""
    seen: set[str] = set()
    places = []
    for index, message in enumerate(messages):
        if message.role == "assistant" and message.message_id not in seen:
            seen.add(message.message_id)
            places.append(index)
    return [place for place in places if place]


def refused(
    array: list[dict[str, Any]], model: str, mode: dict[str, Any], *, given: Sequence[Message] = ()
) -> list[str]:
    """What the API would refuse; `given` is the conversation that the array was made of."""
    body = {"model": model, "max_tokens": 2_000, "messages": array, "thinking": mode}
    return [
        f"{finding.rule} {finding.path}: {finding.message}"
        for finding in lint_request(body, before=join_messages(given) if given else None)
        # Edits are part of what later answers sign, so thinking that the whole conversation would kill may well live.
        if finding.severity is Severity.REFUSED and finding.rule != "dead-thinking"
    ]


def sent(request: SummaryRequest) -> list[dict[str, Any]]:
    return join_messages(request.messages)
