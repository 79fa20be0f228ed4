"""Which microcompact runs: the timed one comes first, and if it clears anything, there is no cache left to edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from compaction.mechanisms.engine.microcompact.cached import (
    CachedConfig,
    CachedOutcome,
    CachedState,
    cached_microcompact,
)
from compaction.mechanisms.engine.microcompact.timed import (
    ClearingReport,
    TimedConfig,
    TimedState,
    minutes_idle,
    timed_microcompact,
)
from compaction.mechanisms.engine.report import Outcome, Report
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import TokenCounter, estimate_blocks

_LONGEST_LIFE = 60
"""Minutes after which nothing of a request is in the cache, whatever its marks said."""


@dataclass(frozen=True, slots=True)
class MicrocompactConfig:
    TITLE: ClassVar[str] = "Microcompact"

    timed: TimedConfig = field(default_factory=TimedConfig)
    cached: CachedConfig = field(default_factory=CachedConfig)


@dataclass(frozen=True, slots=True)
class MicrocompactState:
    timed: TimedState = field(default_factory=TimedState)
    cached: CachedState = field(default_factory=CachedState)

    def to_json(self) -> dict[str, Any]:
        return {"timed": self.timed.to_json(), "cached": self.cached.to_json()}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> MicrocompactState:
        return cls(TimedState.from_json(saved["timed"]), CachedState.from_json(saved["cached"]))


@dataclass(frozen=True, slots=True)
class MicrocompactOutcome(Outcome[MicrocompactState]):
    """`report` is that of the microcompact that did something, else of the timed one."""

    reports: tuple[Report, ...]
    cache_edits: tuple[Mapping[str, Any], ...]


def microcompact(
    messages: Sequence[Message],
    config: MicrocompactConfig | None = None,
    state: MicrocompactState | None = None,
    *,
    now: float,
    main_thread: bool = True,
    supported: bool = True,
    counter: TokenCounter = estimate_blocks,
) -> MicrocompactOutcome:
    config, state = config or MicrocompactConfig(), state or MicrocompactState()
    first = timed_microcompact(messages, config.timed, state.timed, now=now, main_thread=main_thread, counter=counter)
    assert isinstance(first.report, ClearingReport)
    if first.report.cleared_anew:
        after = MicrocompactState(first.state, CachedState())
        return MicrocompactOutcome(first.messages, first.report, after, (first.report,), ())
    idle = minutes_idle(messages, now)
    cached_state = state.cached.without_pins() if idle is not None and idle > _LONGEST_LIFE else state.cached
    second: CachedOutcome = cached_microcompact(
        first.messages, config.cached, cached_state, main_thread=main_thread, supported=supported, counter=counter
    )
    report = second.report if second.report.applied else first.report
    after = MicrocompactState(first.state, second.state)
    return MicrocompactOutcome(second.messages, report, after, (first.report, second.report), second.cache_edits)
