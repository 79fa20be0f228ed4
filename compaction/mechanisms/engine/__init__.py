"""Context management as a library: functions from messages to messages, and the pipeline that runs them in order."""

from __future__ import annotations

from compaction.mechanisms.engine.attachments import AttachmentConfig, BackgroundAgent, Plan, Skill, Surroundings
from compaction.mechanisms.engine.collapse import CollapseConfig
from compaction.mechanisms.engine.compaction.boundary import Boundary, Direction, Trigger
from compaction.mechanisms.engine.compaction.occasion import Hooks, Occasion
from compaction.mechanisms.engine.compaction.record import Compaction
from compaction.mechanisms.engine.full.compact import full_compact
from compaction.mechanisms.engine.full.reply import FullConfig
from compaction.mechanisms.engine.full.request import Summarise, SummariseError, SummaryRequest
from compaction.mechanisms.engine.full.truncation import PromptTooLongError
from compaction.mechanisms.engine.microcompact import MicrocompactConfig
from compaction.mechanisms.engine.microcompact.cached import CachedConfig
from compaction.mechanisms.engine.microcompact.timed import TimedConfig
from compaction.mechanisms.engine.partial.compact import partial_compact
from compaction.mechanisms.engine.partial.pivots import legal_pivots
from compaction.mechanisms.engine.pipeline import (
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
from compaction.mechanisms.engine.report import Change, ChangeKind, Outcome, Report
from compaction.mechanisms.engine.session_memory import Notes, SessionMemoryConfig, session_memory_compact
from compaction.mechanisms.engine.snip.removal import SnipConfig
from compaction.mechanisms.engine.tool_result_limit.limit import BudgetConfig
from sessions.usage.engine.too_long import read_too_long

__all__ = [
    "AttachmentConfig",
    "AutoCompactConfig",
    "BackgroundAgent",
    "Boundary",
    "BudgetConfig",
    "CachedConfig",
    "Change",
    "ChangeKind",
    "CollapseConfig",
    "Compaction",
    "Direction",
    "Effects",
    "FullConfig",
    "Hooks",
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
    "compact_now",
    "full_compact",
    "legal_pivots",
    "partial_compact",
    "read_too_long",
    "recover",
    "run_pipeline",
    "session_memory_compact",
]
