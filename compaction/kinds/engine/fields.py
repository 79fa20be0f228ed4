"""Settings as fields of a form: a label, a meaning, the default as it would be typed, and where each stands.

A mechanism that somebody asks for is on, its texts lie where its session lies, and what a summary should observe is
asked for elsewhere: those settings are not offered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from compaction.kinds.engine.kind import Kind
from compaction.kinds.engine.settings import (
    MODE,
    Mode,
    Setting,
    settings_of,
)

_OWN = ("enabled", "collapse.enabled", "notes.enabled", "full.enabled")
_ELSEWHERE = (MODE, "path", "pipeline.budget.path", "full.instructions", "pipeline.full.instructions")
_WITHOUT_EFFECT: Mapping[Kind, tuple[str, ...]] = {
    Kind.SNIP: ("nudge_every",),  # of the reminder, which nobody gets here
}

_SUMMARY = ("attachments.files.most", "attachments.files.tokens_each", "mechanical.most_characters")
_FIRST: Mapping[Kind, tuple[str, ...]] = {
    Kind.AUTO: ("pipeline.auto.percent", "pipeline.window", "pipeline.collapse.enabled"),
    Kind.BUDGET: ("per_result", "per_message", "preview", "per_tool"),
    Kind.MICROCOMPACT: ("keep", "trigger", "target", "exclude_tools"),
    Kind.COLLAPSE: ("collapse.keep_tokens", "collapse.least", "collapse.least_score", "collapse.keep_inputs"),
    Kind.SESSION_MEMORY: ("notes.keep_tokens", "notes.keep_text_messages", "notes.keep_most_tokens"),
    Kind.FULL: _SUMMARY,
    Kind.PARTIAL_FROM: _SUMMARY,
    Kind.PARTIAL_UP_TO: _SUMMARY,
}

_GROUPS = {
    "": "More",
    "attachments": "Attached again after the summary",
    "auto": "When it starts",
    "budget": "Result budget",
    "collapse": "Collapse",
    "full": "Asking a model",
    "mechanical": "Mechanical summary",
    "microcompact": "Microcompact",
    "notes": "Session notes",
    "session_memory": "Session notes",
    "snip": "Snip",
}

# By the end of the name: the longest that is here counts.
_LABELS = {
    "auto.percent": "Threshold, in percent",
    "collapse.enabled": "Collapse early history",
    "exclude_tools": "Tools to leave alone",
    "files.most": "Files attached again",
    "files.tokens_each": "Tokens of a file",
    "keep_most_tokens": "Latest tokens, at most",
    "keep_text_messages": "Latest messages, at least",
    "keep_tokens": "Latest tokens, at least",
    "collapse.keep_inputs": "Keep what you typed",
    "collapse.keep_tokens": "Latest tokens that stay",
    "collapse.least": "Smallest span",
    "collapse.least_score": "Least score",
    "keep": "Latest results that stay",
    "most_characters": "Longest mechanical summary",
    "per_message": "All results of a message",
    "per_result": "One result",
    "per_tool": "Limits by tool",
    "preview": "Preview that stays",
    "target": "Down to",
    "trigger": "Starts at",
    "window": "Window",
}
_MEANINGS = {
    "enabled": "Whether it is done at all.",
    "per_result": "Characters of one result; a longer one goes.",
    "per_message": "Characters of all results of one message; beyond, the largest go.",
    "preview": "Bytes that stay of a text that goes.",
    "per_tool": "Limits of their own for some tools.",
    "nudge_every": "Tokens of growth until the model is reminded that it may snip.",
    "keep": "The latest results that stay.",
    "api.keep": "The latest results that stay; the API keeps 3 if it is told none.",
    "gap_minutes": "Minutes since the last answer from which on it acts.",
    "cached.trigger": "Results that may be active before any is deleted.",
    "api.trigger": "Tokens of the prompt from which on it acts.",
    "api.target": "Tokens that it should come down to, or it does nothing.",
    "exclude_tools": "Tools whose results stay.",
    "collapse.enabled": "Whether spans of early history are replaced instead of everything.",
    "collapse.target": "Share of the window that it should come down to.",
    "stage_at": "Share of the window from which on spans are chosen.",
    "commit_at": "Share of the window from which on spans are replaced.",
    "spawn_every": "Tokens of growth until spans are chosen anew.",
    "collapse.keep_tokens": "Tokens of the latest part, which stays.",
    "least": "Tokens that a span has at least.",
    "collapse.most": "Tokens that a span has at most.",
    "least_score": "From 0, keep it, to 1, let it go: spans below stay.",
    "max_staged": "Spans that are chosen at a time.",
    "keep_inputs": "What you typed stays word for word.",
    "weights.size": "Weight of a span's size.",
    "weights.age": "Weight of what came after it.",
    "weights.distance": "Weight of what the latest part leaves alone.",
    "weights.quiet": "Weight of what nobody came back to.",
    "keep_tokens": "Tokens of the latest messages that stay, at least.",
    "keep_text_messages": "Messages with words that stay, at least.",
    "keep_most_tokens": "Tokens of the latest messages that stay, at most.",
    "section_tokens": "Tokens of a section of the notes; a longer one is cut.",
    "attachments.enabled": "Whether anything is attached after the summary.",
    "files.enabled": "Files that were read last, as the session shows them.",
    "files.most": "Files that are attached again, those read last.",
    "files.tokens_each": "Tokens of one such file; a longer one is cut.",
    "files.tokens_in_all": "Tokens of all such files; a quarter of the former size at most.",
    "skills.enabled": "Skills that were used.",
    "skills.tokens_each": "Tokens of one skill.",
    "skills.tokens_in_all": "Tokens of all skills.",
    "plan_file": "The plan.",
    "plan_mode": "That plan mode is on.",
    "agents": "Agents that still run in the background.",
    "tool_listing": "Tools that were announced.",
    "agent_listing": "Kinds of agents that were announced.",
    "mcp_instructions": "What servers of tools said about themselves.",
    "retries": "How often the oldest rounds are left out when a request is too long.",
    "fork": "Ask as a continuation of the session's own request, to read its cache.",
    "output_cap": "Tokens of the answer at most, when asked directly.",
    "most_characters": "Characters of a mechanical summary, at most.",
    "share": "The same as a share of what is summarised.",
    "least_characters": "Characters that a mechanical summary may always have.",
    "model": "The model whose window counts; empty for that of the session.",
    "betas": "Beta features of the API that count for the window.",
    "window": "Tokens of the window, where the model's is not known.",
    "max_output": "Tokens of the longest answer; at least 20,000 are left free.",
    "overhead": "Tokens of the system prompt and the tools, if not those on record.",
    "source": "Who asks; compact and session_memory never compact.",
    "snip_tool": "Whether the model may snip by itself.",
    "cache_edits": "Whether the model's cache can be edited.",
    "auto.enabled": "Whether it compacts by itself.",
    "most_failures": "Failures in a row after which it is not tried again.",
    "percent": "Lowers the threshold to so many percent of the window, to try things.",
}


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    label: str
    meaning: str
    type: str
    default: str
    """As it would be typed."""
    switch: bool


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Fields:
    first: tuple[Field, ...]
    """Those that most people look for."""
    more: tuple[Group, ...]

    @property
    def all(self) -> list[Field]:
        return [*self.first, *(one for group in self.more for one in group.fields)]


@cache
def fields_of(kind: Kind, mode: Mode = Mode.TIME) -> Fields:
    shown = [one for one in settings_of(kind, mode) if _is_offered(kind, one.name)]
    scope = f"{mode}." if kind is Kind.MICROCOMPACT else ""
    first = [one for name in _FIRST.get(kind, ()) for one in shown if one.name == name]
    groups: dict[str, list[Setting]] = {}
    for one in shown:
        if one not in first:
            groups.setdefault(_group(one.name), []).append(one)
    more = tuple(
        Group(_GROUPS[name], tuple(_field(one, scope, name) for one in settings)) for name, settings in groups.items()
    )
    return Fields(tuple(_field(one, scope) for one in first), more)


def typed(value: Any) -> str:
    """A value as it would be typed."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Mapping):
        return ",".join(f"{name}:{typed(limit)}" for name, limit in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def _is_offered(kind: Kind, name: str) -> bool:
    return name not in (*_OWN, *_ELSEWHERE, *_WITHOUT_EFFECT.get(kind, ()))


def _group(name: str) -> str:
    first, _, rest = name.removeprefix("pipeline.").partition(".")
    return first if rest else ""


def _field(setting: Setting, scope: str, group: str = "") -> Field:
    name = f"{scope}{setting.name}"
    inside = setting.name.removeprefix("pipeline.").removeprefix(f"{group}.")
    label = ": ".join(part.replace("_", " ") for part in inside.split("."))
    return Field(
        setting.name,
        label if group else _by_end(_LABELS, name) or label,
        _by_end(_MEANINGS, name),
        setting.type,
        typed(setting.default),
        isinstance(setting.default, bool),
    )


def _by_end(told: Mapping[str, str], name: str) -> str:
    parts = name.split(".")
    ends = (".".join(parts[at:]) for at in range(len(parts)))
    return next((told[end] for end in ends if end in told), "")
