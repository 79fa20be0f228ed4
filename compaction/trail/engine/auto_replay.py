"""Replays auto over a whole session: what the mechanisms would have done before each of its requests, with their state
carried over.

The answers stay as recorded, so this tells what would have been sent and when a compaction would have been due, not
what the model would have answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from compaction.mechanisms.engine.guards.recompaction import Recompaction
from compaction.mechanisms.engine.mechanical import MechanicalSummariser
from compaction.mechanisms.engine.pipeline import (
    Effects,
    PipelineConfig,
    PipelineOutcome,
    PipelineState,
    recover,
    run_pipeline,
)
from compaction.mechanisms.engine.pipeline.thinking import FOREIGN
from compaction.mechanisms.engine.pipeline.thinking import MECHANISM as DEAD
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Block, Message, replace_fields
from sessions.usage.engine.tokens import TokenCounter, estimate, estimate_blocks

LEAST_DROP, LEAST_SHARE = 2_000, 0.05
"""Reads that fell by more tokens and by a larger share: the cache was lost, and with it what was deleted from it."""
_DECISION = "auto-compact"


class Began(StrEnum):
    """Why the mechanisms began with empty state."""

    FIRST = "the first request"
    COMPACTED = "the client compacted before it, which empties what the mechanisms remembered"
    WENT_BACK = "the session went back before it"


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request as it was sent."""

    id: str
    position: int
    at: float
    """When, in seconds since 1970."""
    model: str
    messages: Sequence[Message]
    start: int
    """The position of the boundary that its context starts at."""
    prompt: int
    """Tokens that the API counted; 0 if it did not."""
    read: int
    """Tokens that it read from the cache."""
    error: str = ""
    """What the API had answered to the request before it, if it was refused."""


@dataclass(frozen=True, slots=True)
class ReplayStep:
    request: str
    position: int
    tokens: int
    """Of the prompt, with what earlier steps would have saved taken off."""
    threshold: int
    acts: tuple[tuple[str, str], ...]
    """Each mechanism that did something, and what."""
    pinned: int
    """Results that are deleted from the cache with this request, those of earlier requests included."""
    lost_cache: bool
    """Reads had fallen: edits of the cache that were pinned before have ended."""
    began: Began | None
    recompaction: Recompaction | None = None
    recovered: bool = False
    """It compacted because the API had refused the request as too long."""

    @property
    def is_quiet(self) -> bool:
        return not (self.acts or self.lost_cache or self.recompaction or self.began)


def step_values(step: ReplayStep) -> dict[str, Any]:
    """For scripts."""
    return {
        **{name: value for name, value in asdict(step).items() if name != "acts"},
        "acts": [{"mechanism": mechanism, "why": why} for mechanism, why in step.acts],
    }


def describe_step(step: ReplayStep) -> str:
    """For people, in one paragraph."""
    sentences = [*remarks_of(step), *(f"{mechanism}: {why}" for mechanism, why in step.acts)]
    return f"{step.request} at ~{step.tokens:,} of {step.threshold:,} tokens. {' '.join(sentences)}"


def remarks_of(step: ReplayStep) -> list[str]:
    """Remarks besides what each mechanism did."""
    remarks = [f"The mechanisms begin anew: {step.began}."] if step.began else []
    if step.lost_cache:
        remarks.append("Reads from the cache had fallen, so edits that were pinned to it have ended.")
    if step.recovered:
        remarks.append("The API had refused the request as too long.")
    if step.recompaction is not None:
        remarks.append(step.recompaction.sentence)
    if step.pinned:
        remarks.append(f"{plural(step.pinned, 'result is', 'results are')} deleted from the cache with this request.")
    return remarks


class AutoReplay:
    """Takes the requests in order, and returns what would have been done before each."""

    def __init__(self, config: PipelineConfig, client: str = "") -> None:
        """`client`: the version that wrote the session."""
        self._config = config
        self._effects = Effects(summarise=MechanicalSummariser(), client=client)
        self._state = PipelineState()
        self._last: RecordedRequest | None = None
        self._overhead = 0
        self._thoughtless: set[str] = set()
        """Answers whose thinking was left out already."""

    def step(self, request: RecordedRequest) -> ReplayStep:
        began = self._begin(request)
        lost = self._lose_cache(request)
        # The API counted what was really sent, from which nothing was removed.
        messages = [replace_fields(message, usage=None) for message in request.messages]
        counter, overhead = self._measure(request, messages)
        config = replace(self._config, overhead=overhead, model=self._config.model or request.model)
        known, effects = self._state, self._effects
        outcome = (
            recover(messages, request.error, config, known, now=request.at, effects=effects, counter=counter)
            if request.error
            else run_pipeline(messages, config, known, now=request.at, effects=effects, counter=counter)
        )
        self._state, self._last = outcome.state, request
        return ReplayStep(
            request.id,
            request.position,
            outcome.report.tokens,
            outcome.report.threshold,
            tuple(self._news(outcome, known)),
            sum(len(edit["edits"]) for edit in outcome.cache_edits),
            lost,
            began,
            outcome.report.recompaction,
            bool(request.error) and outcome.compaction is not None,
        )

    def _begin(self, request: RecordedRequest) -> Began | None:
        last = self._last
        if last is None:
            return Began.FIRST
        before = [message.uuid for message in last.messages]
        if [message.uuid for message in request.messages[: len(before)]] == before:
            return None
        self._state, self._last = PipelineState(), None
        return Began.COMPACTED if request.start != last.start else Began.WENT_BACK

    def _lose_cache(self, request: RecordedRequest) -> bool:
        last = self._last
        if last is None or not self._state.microcompact.cached.pinned:
            return False
        fallen = last.read - request.read
        if fallen <= LEAST_DROP or fallen <= LEAST_SHARE * last.read:
            return False
        cleared = replace(self._state.microcompact, cached=self._state.microcompact.cached.without_pins())
        self._state = replace(self._state, microcompact=cleared)
        return True

    def _measure(self, request: RecordedRequest, messages: Sequence[Message]) -> tuple[TokenCounter, int]:
        """A counter that gives the whole request the tokens that the API counted, and the tokens before the messages:
        what the first request had beyond an estimate of its messages."""
        size = estimate(messages)
        if self._last is None:
            self._overhead = max(0, request.prompt - size)
        if not request.prompt or not size or request.prompt <= self._overhead:
            return estimate_blocks, self._overhead
        share = (request.prompt - self._overhead) / size

        def counter(blocks: Sequence[Block], /) -> int:
            return round(estimate_blocks(blocks) * share)

        return counter, self._overhead

    def _news(self, outcome: PipelineOutcome, known: PipelineState) -> list[tuple[str, str]]:
        """What was done for the first time, not repeated."""
        new = {
            "budget": outcome.state.budget.replacements.keys() - known.budget.replacements.keys(),
            "microcompact": outcome.state.microcompact.timed.cleared - known.microcompact.timed.cleared,
            "collapse": set(outcome.state.collapse.commits) - set(known.collapse.commits),
            _DECISION: outcome.compaction is not None,
            **{name: self._newly_thoughtless(outcome, name) for name in (DEAD, FOREIGN)},
        }
        return [
            (stage.mechanism, stage.why)
            for stage in outcome.report.stages
            if stage.applied and stage.mechanism not in ("replay", "snip") and new.get(stage.mechanism, True)
        ]

    def _newly_thoughtless(self, outcome: PipelineOutcome, mechanism: str) -> bool:
        stage = outcome.report.stage(mechanism)
        uuids = {change.uuid for change in stage.changes} if stage is not None else set()
        new = not uuids <= self._thoughtless
        self._thoughtless |= uuids
        return new
