"""All mechanisms in one run before a request."""

from __future__ import annotations

from compaction.mechanisms.engine.pipeline.config import AutoCompactConfig, PipelineConfig
from compaction.mechanisms.engine.pipeline.effects import Effects
from compaction.mechanisms.engine.pipeline.outcome import PipelineOutcome, PipelineReport
from compaction.mechanisms.engine.pipeline.run import compact_now, recover, run_pipeline
from compaction.mechanisms.engine.pipeline.state import PipelineState

__all__ = [
    "AutoCompactConfig",
    "Effects",
    "PipelineConfig",
    "PipelineOutcome",
    "PipelineReport",
    "PipelineState",
    "compact_now",
    "recover",
    "run_pipeline",
]
