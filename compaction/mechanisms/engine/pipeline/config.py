"""All settings of the pipeline in one place: each mechanism's own, and what they share."""

from __future__ import annotations

from dataclasses import dataclass, field

from compaction.mechanisms.engine.attachments import AttachmentConfig
from compaction.mechanisms.engine.collapse import CollapseConfig
from compaction.mechanisms.engine.full.reply import FullConfig
from compaction.mechanisms.engine.guards.breaker import MOST_FAILURES
from compaction.mechanisms.engine.guards.recursion import MAIN, owns_shared_state
from compaction.mechanisms.engine.microcompact import MicrocompactConfig
from compaction.mechanisms.engine.session_memory import SessionMemoryConfig
from compaction.mechanisms.engine.snip.removal import SnipConfig
from compaction.mechanisms.engine.tool_result_limit.limit import BudgetConfig
from sessions.usage.engine.tokens import Limits, context_window


@dataclass(frozen=True, slots=True)
class AutoCompactConfig:
    enabled: bool = True
    most_failures: int = MOST_FAILURES
    """In a row; then it does not try again in this session."""
    percent: float | None = None
    """Moves the threshold down to this share of the effective window, to try things on short sessions."""


@dataclass(frozen=True, slots=True)
class PipelineConfig:
    model: str = ""
    betas: tuple[str, ...] = ()
    window: int | None = None
    """Tokens, where the model is not known."""
    max_output: int = 0
    overhead: int = 0
    """Tokens of system prompt and tools: an estimate of the messages does not hold them."""
    source: str = MAIN
    """Who sends the request: a compaction or the taking of notes never compacts."""
    snip_tool: bool = False
    """The model can snip: inputs get their ids, and it is reminded now and then."""
    cache_edits: bool = False
    """The model's cache can be edited."""
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
        return Limits(window, self.max_output, percent=self.auto.percent)

    @property
    def main_thread(self) -> bool:
        return owns_shared_state(self.source)
