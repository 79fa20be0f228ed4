"""What a run of the pipeline returns: what to send, what to send beside it, what to remember, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.mechanisms.engine.compaction.record import Compaction
from compaction.mechanisms.engine.guards.recompaction import Recompaction
from compaction.mechanisms.engine.pipeline.state import PipelineState
from compaction.mechanisms.engine.report import Report
from compaction.mechanisms.engine.tool_result_limit.limit import PersistedResult
from sessions.transcripts.engine.messages import Message, join_messages


@dataclass(frozen=True, slots=True)
class PipelineReport:
    stages: tuple[Report, ...]
    """In the order in which they ran."""
    tokens: int
    """The size of the context before auto-compact was considered, as far as it is known."""
    threshold: int
    tokens_before: int
    """Estimates of the messages alone, as given and as the model sees them."""
    tokens_after: int
    recompaction: Recompaction | None = None
    """How a compaction in this run came about."""

    def stage(self, mechanism: str) -> Report | None:
        return next((report for report in self.stages if report.mechanism == mechanism), None)

    @property
    def applied_mechanisms(self) -> tuple[str, ...]:
        return tuple(report.mechanism for report in self.stages if report.applied)


@dataclass(frozen=True, slots=True)
class PipelineOutcome:
    messages: Sequence[Message]
    """The view to be sent."""
    report: PipelineReport
    state: PipelineState
    cache_edits: tuple[Mapping[str, Any], ...] = ()
    """Instructions to be sent beside the messages."""
    persisted: tuple[PersistedResult, ...] = ()
    """Texts to be written to files before the messages are sent."""
    compaction: Compaction | None = None
    """Made in this run, to be recorded."""
    error: str = ""
    """Of `recover`: the API's error, if nothing could be done about it."""

    @property
    def array(self) -> list[dict[str, Any]]:
        """The messages as the API takes them."""
        return join_messages(self.messages)
