"""Context management as a library: functions from messages to messages, and the pipeline that runs them in order."""

from __future__ import annotations

from compaction.engine.attachments import AttachmentConfig, BackgroundAgent, Listing, Plan, Skill, Surroundings
from compaction.engine.boundary import Boundary, Direction, Trigger
from compaction.engine.budget import BudgetConfig
from compaction.engine.collapse import CollapseConfig
from compaction.engine.full.asking import FullConfig
from compaction.engine.full.compact import full_compact
from compaction.engine.full.request import Summarise, SummariseError, SummaryRequest
from compaction.engine.full.too_long import PromptTooLongError, is_too_long
from compaction.engine.microcompact import MicrocompactConfig
from compaction.engine.microcompact.cached import CachedConfig
from compaction.engine.microcompact.timed import TimedConfig
from compaction.engine.occasion import Hooks, Occasion
from compaction.engine.partial import partial_compact
from compaction.engine.pipeline import (
    AutoCompactConfig,
    Effects,
    PipelineConfig,
    PipelineOutcome,
    PipelineReport,
    PipelineState,
    compact_now,
    recover,
    run_pipeline,
)
from compaction.engine.pivots import legal_pivots
from compaction.engine.record import Compaction
from compaction.engine.report import Change, Outcome, Report, What
from compaction.engine.session_memory import Notes, SessionMemoryConfig, session_memory_compact
from compaction.engine.snip import SnipConfig

__all__ = [
    "AttachmentConfig",
    "AutoCompactConfig",
    "BackgroundAgent",
    "Boundary",
    "BudgetConfig",
    "CachedConfig",
    "Change",
    "CollapseConfig",
    "Compaction",
    "Direction",
    "Effects",
    "FullConfig",
    "Hooks",
    "Listing",
    "MicrocompactConfig",
    "Notes",
    "Occasion",
    "Outcome",
    "PipelineConfig",
    "PipelineOutcome",
    "PipelineReport",
    "PipelineState",
    "Plan",
    "PromptTooLongError",
    "Report",
    "SessionMemoryConfig",
    "Skill",
    "SnipConfig",
    "Summarise",
    "SummariseError",
    "SummaryRequest",
    "Surroundings",
    "TimedConfig",
    "Trigger",
    "What",
    "compact_now",
    "full_compact",
    "is_too_long",
    "legal_pivots",
    "partial_compact",
    "recover",
    "run_pipeline",
    "session_memory_compact",
]
