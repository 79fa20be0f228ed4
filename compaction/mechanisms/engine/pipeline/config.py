"""All settings of the pipeline in one place: each mechanism's own, and what they share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from compaction.mechanisms.engine.attachments import AttachmentConfig
from compaction.mechanisms.engine.collapse import CollapseConfig
from compaction.mechanisms.engine.full.reply import FullConfig
from compaction.mechanisms.engine.guards.breaker import MOST_FAILURES
from compaction.mechanisms.engine.guards.recursion import owns_shared_state
from compaction.mechanisms.engine.microcompact import MicrocompactConfig
from compaction.mechanisms.engine.session_memory import SessionMemoryConfig
from compaction.mechanisms.engine.setting_field import setting
from compaction.mechanisms.engine.snip.removal import SnipConfig
from compaction.mechanisms.engine.tool_result_limit.limit import BudgetConfig
from sessions.requests.engine.prompt_cache.query_sources import MAIN
from sessions.usage.engine.tokens import Limits, context_window


@dataclass(frozen=True, slots=True)
class AutoCompactConfig:
    TITLE: ClassVar[str] = "When it starts"

    enabled: bool = setting(True, "Whether it compacts by itself.")
    most_failures: int = setting(MOST_FAILURES, "Failures in a row after which it is not tried again.")
    percent: float | None = setting(
        None,
        "Lowers the threshold to so many percent of the window, to try things.",
        label="Threshold, in percent",
        most=100,
    )
    counted_window: int | None = setting(
        None, "Tokens of the window that the threshold is reckoned from, if the model's is larger."
    )
    origin: str = setting("", "Where a lowered threshold comes from.")
    """Part of a sentence."""
    autonomous: bool = setting(
        False, "The agent works without a person, and is told so again after the summary. No record says whether."
    )


@dataclass(frozen=True, slots=True)
class PipelineConfig:
    model: str = setting("", "The model whose window counts; empty for that of the session.")
    betas: tuple[str, ...] = setting((), "Beta features of the API that count for the window.")
    window: int | None = setting(None, "Tokens of the window, where the model's is not known.", label="Window")
    max_output: int = setting(
        0, "Tokens of the longest answer, which are left free: 20,000 at least; 0 for that of the session."
    )
    overhead: int = setting(0, "Tokens of the system prompt and the tools, if not those on record.")
    """Tokens of system prompt and tools: an estimate of the messages does not hold them."""
    source: str = setting(MAIN, "Who asks; compact and session_memory never compact.")
    snip_tool: bool = setting(False, "Whether the model may snip by itself.")
    """The model can snip: inputs get their ids, and it is reminded now and then."""
    cache_edits: bool = setting(False, "Whether the model's cache can be edited.")
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    snip: SnipConfig = field(default_factory=SnipConfig)
    microcompact: MicrocompactConfig = field(default_factory=MicrocompactConfig)
    collapse: CollapseConfig = field(default_factory=CollapseConfig)
    auto: AutoCompactConfig = field(default_factory=AutoCompactConfig)
    session_memory: SessionMemoryConfig = field(default_factory=SessionMemoryConfig)
    full: FullConfig = field(default_factory=FullConfig)
    attachments: AttachmentConfig = field(default_factory=AttachmentConfig)

    @property
    def limits(self) -> Limits:
        window = context_window(self.model or None, betas=self.betas, setting=self.window).tokens
        return Limits(min(window, self.auto.counted_window or window), self.max_output, percent=self.auto.percent)

    @property
    def main_thread(self) -> bool:
        return owns_shared_state(self.source)
