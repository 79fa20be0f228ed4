"""Settings as fields of a form, each with a label, a meaning, and the default as one would type it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from compaction.kinds.engine.settings import MODE, Setting, settings_of
from compaction.kinds.engine.spec import KindSpec
from compaction.kinds.engine.values import choices_of


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    label: str
    meaning: str
    type: str
    default: str
    """As it would be typed."""
    switch: bool
    choices: tuple[str, ...] = ()
    """All that it can be, where that is few."""


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
        return [*self.first, *(field for group in self.more for field in group.fields)]


@cache
def fields_of(kind: KindSpec, mode: str = "") -> Fields:
    hidden = {MODE, *kind.hidden_fields}
    offered = [setting for setting in settings_of(kind, mode) if setting.name not in hidden]
    first = [setting for name in kind.first_fields for setting in offered if setting.name == name]
    groups: dict[str, list[Field]] = {}
    for setting in offered:
        if setting not in first:
            groups.setdefault(setting.group, []).append(_field(setting, named=not setting.group))
    return Fields(
        tuple(_field(setting) for setting in first),
        tuple(Group(title or "More", tuple(fields)) for title, fields in groups.items()),
    )


def format_value(value: Any) -> str:
    """A value as one would type it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Mapping):
        return ",".join(f"{name}:{format_value(limit)}" for name, limit in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def _field(setting: Setting, *, named: bool = True) -> Field:
    """`named`: with its own label. Below the title of a group, the path within the group is enough."""
    path = ": ".join(part.replace("_", " ") for part in setting.path.split("."))
    return Field(
        setting.name,
        setting.label if named and setting.label else path,
        setting.help,
        setting.type,
        format_value(setting.default),
        isinstance(setting.default, bool),
        choices_of(setting.hint),
    )
