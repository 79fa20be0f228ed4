"""Settings by name: what each kind can be told, with types and defaults out of the configs themselves.

A name is the way to a field (`attachments.files.most`); its end is enough where only one field ends so. Somebody who
asks for a mechanism wants it now, so here it does not wait for the sizes and pauses at which it would start by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any, get_type_hints

from compaction.kinds.engine.kind import Kind, KindError
from compaction.kinds.engine.values import NAMES, parsed
from compaction.mechanisms.engine.attachments import AttachmentConfig
from compaction.mechanisms.engine.collapse import CollapseConfig
from compaction.mechanisms.engine.full.reply import FullConfig
from compaction.mechanisms.engine.mechanical import MechanicalConfig
from compaction.mechanisms.engine.microcompact.api_edits import ClearToolUsesConfig
from compaction.mechanisms.engine.microcompact.cached import CachedConfig
from compaction.mechanisms.engine.microcompact.timed import TimedConfig
from compaction.mechanisms.engine.pipeline import PipelineConfig
from compaction.mechanisms.engine.session_memory import SessionMemoryConfig
from compaction.mechanisms.engine.snip.removal import SnipConfig
from compaction.mechanisms.engine.tool_result_limit.limit import BudgetConfig

MODE = "mode"


class Mode(StrEnum):
    """Of microcompact: who clears, and when."""

    TIME = "time"
    CACHED = "cached"
    API = "api"


@dataclass(frozen=True, slots=True)
class SummarySettings:
    full: FullConfig = field(default_factory=FullConfig)
    attachments: AttachmentConfig = field(default_factory=AttachmentConfig)
    mechanical: MechanicalConfig = field(default_factory=MechanicalConfig)


@dataclass(frozen=True, slots=True)
class NotesSettings:
    notes: SessionMemoryConfig = field(default_factory=SessionMemoryConfig)
    attachments: AttachmentConfig = field(default_factory=AttachmentConfig)


@dataclass(frozen=True, slots=True)
class CollapseSettings:
    collapse: CollapseConfig = field(
        default_factory=lambda: CollapseConfig(
            enabled=True, stage_at=0.0, commit_at=0.0, target=0.0, keep_tokens=5_000, least=500
        )
    )
    mechanical: MechanicalConfig = field(default_factory=MechanicalConfig)


@dataclass(frozen=True, slots=True)
class AutoSettings:
    pipeline: PipelineConfig = field(default_factory=PipelineConfig)
    mechanical: MechanicalConfig = field(default_factory=MechanicalConfig)


@dataclass(frozen=True, slots=True)
class Setting:
    name: str
    type: str
    """For people."""
    default: Any


_MODES: Mapping[Mode, Any] = {
    Mode.TIME: TimedConfig(enabled=True, gap_minutes=0),
    Mode.CACHED: CachedConfig(),
    Mode.API: ClearToolUsesConfig(),
}
_CONFIGS: Mapping[Kind, Any] = {
    Kind.BUDGET: BudgetConfig(),
    Kind.SNIP: SnipConfig(),
    Kind.COLLAPSE: CollapseSettings(),
    Kind.SESSION_MEMORY: NotesSettings(),
    Kind.FULL: SummarySettings(),
    Kind.PARTIAL_FROM: SummarySettings(),
    Kind.PARTIAL_UP_TO: SummarySettings(),
    Kind.AUTO: AutoSettings(),
}


def settings_of(kind: Kind, mode: Mode = Mode.TIME) -> list[Setting]:
    """What this kind can be told, with defaults."""
    if kind is Kind.MICROCOMPACT:
        choice = Setting(MODE, " or ".join(Mode), str(mode))
        return [choice, *(one.setting for one in _leaves(_MODES[mode]))]
    return [one.setting for one in _leaves(_CONFIGS[kind])]


def config_of(kind: Kind, given: Mapping[str, str]) -> Any:
    """The config of a kind with these settings. Raises KindError for names and values that are none."""
    given = dict(given)
    if kind is Kind.MICROCOMPACT:
        mode = _mode(given.pop(MODE, Mode.TIME))
        config, known = _MODES[mode], settings_of(kind, mode)
    else:
        config, known = _CONFIGS[kind], settings_of(kind)
    leaves = {leaf.setting.name: leaf for leaf in _leaves(config)}
    for name, text in given.items():
        leaf = leaves[_found(kind, name, leaves, known)]
        try:
            config = _with(config, leaf.setting.name.split("."), parsed(leaf.hint, text.strip()))
        except ValueError as error:
            raise KindError(
                f"{leaf.setting.name} has to be {leaf.setting.type}, not {text!r}. {error}".strip()
            ) from error
    return config


@dataclass(frozen=True, slots=True)
class _Leaf:
    setting: Setting
    hint: Any


@cache
def _hints(of: Any) -> Mapping[str, Any]:
    return get_type_hints(of)


def _leaves(config: Any, path: str = "") -> Iterator[_Leaf]:
    of: Any = type(config)
    hints = _hints(of)
    for one in fields(config):
        value = getattr(config, one.name)
        name = f"{path}{one.name}"
        if is_dataclass(value):
            yield from _leaves(value, f"{name}.")
        else:
            yield _Leaf(Setting(name, NAMES.get(hints[one.name], "a value"), value), hints[one.name])


def _found(kind: Kind, name: str, leaves: Mapping[str, _Leaf], known: list[Setting]) -> str:
    if name in leaves:
        return name
    ending = [one for one in leaves if one.endswith(f".{name}")]
    if len(ending) == 1:
        return ending[0]
    if ending:
        raise KindError(f"{name!r} could be {', '.join(ending)}.")
    there = ", ".join(one.name for one in known)
    raise KindError(f"{kind} has no setting {name!r}. There are: {there}.")


def _mode(text: str) -> Mode:
    try:
        return Mode(text)
    except ValueError:
        raise KindError(f"mode has to be {' or '.join(Mode)}, not {text!r}.") from None


def _with(config: Any, path: list[str], value: Any) -> Any:
    first, *rest = path
    inner = _with(getattr(config, first), rest, value) if rest else value
    return replace(config, **{first: inner})
