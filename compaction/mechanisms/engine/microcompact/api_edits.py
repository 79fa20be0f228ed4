"""Context management by the API itself: what to ask for beside the messages, and a forecast of what it would clear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from compaction.mechanisms.engine.microcompact.clearable import ALIASES, WRITERS, tool_of
from compaction.mechanisms.engine.setting_field import setting

CLEARING_BETA = "context-management-2025-06-27"
COMPACTING_BETA, ON_DEMAND_BETA = "compact-2026-01-12", "compact-2026-09-04"
COMPACT = "compact_20260112"
LEAST_COMPACT_TRIGGER = 50_000
_HOUR = 3600


@dataclass(frozen=True, slots=True)
class ClearToolUsesConfig:
    TITLE: ClassVar[str] = "Clearing of tool uses"

    enabled: bool = setting(True, "Whether it is done at all.")
    trigger: int = setting(180_000, "Tokens of the prompt from which on it acts.", label="Starts at")
    target: int = setting(40_000, "Tokens that it should come down to, or it does nothing.", label="Down to")
    """Input tokens that should be left: at least the difference has to go, or nothing does."""
    keep: int | None = setting(
        None, "The latest results that stay; the API keeps 3 if it is told none.", label="Latest results that stay"
    )
    exclude_tools: tuple[str, ...] = setting((), "Tools whose results stay.", label="Tools to leave alone")
    """Tools that lose nothing, besides those that are never cleared."""

    @property
    def clear_at_least(self) -> int:
        return max(0, self.trigger - self.target)


@dataclass(frozen=True, slots=True)
class ClearThinkingConfig:
    TITLE: ClassVar[str] = "Clearing of thinking"

    enabled: bool = setting(True, "Whether the API is asked to clear thinking.")
    idle_seconds: float = setting(_HOUR, "After a longer pause only the latest turns keep their thinking.")
    keep_after_idle: int = setting(1, "Turns that keep their thinking after such a pause.")


@dataclass(frozen=True, slots=True)
class CompactEditConfig:
    TITLE: ClassVar[str] = "Compaction by the API"

    enabled: bool = setting(False, "Whether the API is asked to compact.", label="The API compacts")
    at_once: bool = setting(False, "With this request, whatever its size: the parameter `compaction`, and no edits.")
    starts_at: int = setting(150_000, "Tokens of the prompt from which on it compacts, at least 50,000.")
    pause_after_compaction: bool = setting(False, "It ends its answer after the summary.")
    instructions: str = setting("", "What its summary should observe.")

    def __post_init__(self) -> None:
        if self.starts_at < LEAST_COMPACT_TRIGGER:
            raise ValueError(
                f"The API compacts from {LEAST_COMPACT_TRIGGER:,} input tokens on, not {self.starts_at:,}."
            )


@dataclass(frozen=True, slots=True)
class ApiEditsConfig:
    tool_uses: ClearToolUsesConfig = ClearToolUsesConfig()
    thinking: ClearThinkingConfig = ClearThinkingConfig()
    compact: CompactEditConfig = CompactEditConfig()


def context_management(
    config: ApiEditsConfig | None = None, *, tools: Sequence[str] = (), thinking: bool = True, idle: float = 0.0
) -> dict[str, Any] | None:
    """The request parameter of this name; None if there is nothing to ask for.

    `tools` are the names of the request's tools, `thinking` says whether the model thinks, `idle` how many seconds
    passed since its last answer. Clearing thinking has to be listed first.
    """
    config = config or ApiEditsConfig()
    edits = []
    if config.thinking.enabled and thinking:
        edits.append(clear_thinking(config.thinking, idle))
    if config.tool_uses.enabled:
        edits.append(clear_tool_uses(config.tool_uses, tools))
    if config.compact.enabled:
        edits.append(_compact(config.compact))
    return {"edits": edits} if edits else None


def required_betas(management: Mapping[str, Any] | None, *, on_demand: bool = False) -> tuple[str, ...]:
    """The betas that a request with this parameter needs; `on_demand`: with the top-level `compaction` too."""
    types = [str(edit["type"]) for edit in management["edits"]] if management is not None else []
    needed = {COMPACTING_BETA if edit_type == COMPACT else CLEARING_BETA for edit_type in types}
    return tuple(sorted(needed | {ON_DEMAND_BETA} if on_demand else needed))


def clear_tool_uses(config: ClearToolUsesConfig, tools: Sequence[str] = ()) -> dict[str, Any]:
    """Reading tools lose their results; writing tools also lose their inputs, which are the large part."""
    writers = WRITERS | {alias for alias, tool in ALIASES.items() if tool in WRITERS}
    excluded = sorted({*config.exclude_tools, *(tool for tool in tools if tool_of(tool) is None)})
    inputs = sorted(writers.intersection(tools) if tools else WRITERS)
    edit: dict[str, Any] = {
        "type": "clear_tool_uses_20250919",
        "trigger": _tokens(config.trigger),
        "clear_at_least": _tokens(config.clear_at_least),
    }
    if config.keep is not None:
        edit["keep"] = {"type": "tool_uses", "value": config.keep}
    if inputs:
        edit["clear_tool_inputs"] = inputs
    if excluded:
        edit["exclude_tools"] = excluded
    return edit


def clear_thinking(config: ClearThinkingConfig, idle: float) -> dict[str, Any]:
    keep: Any = "all"
    if idle > config.idle_seconds:
        keep = {"type": "thinking_turns", "value": max(1, config.keep_after_idle)}
    return {"type": "clear_thinking_20251015", "keep": keep}


def _compact(config: CompactEditConfig) -> dict[str, Any]:
    edit: dict[str, Any] = {"type": COMPACT, "trigger": _tokens(config.starts_at)}
    if config.pause_after_compaction:
        edit["pause_after_compaction"] = True
    if config.instructions.strip():
        edit["instructions"] = config.instructions
    return edit


def _tokens(value: int) -> dict[str, Any]:
    return {"type": "input_tokens", "value": value}
