"""The settings of each kind by name, with the types, defaults and texts of its config.

A name is the path of a field (`attachments.files.most`); its end is enough if only one field ends like that. A
mechanism that is requested by name acts at once, so the configs of the kinds have no sizes or pauses to wait for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field as ConfigField
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any, get_type_hints

from compaction.kinds.engine.spec import KindError, KindSpec
from compaction.kinds.engine.values import parse_value, type_name

MODE = "mode"


@dataclass(frozen=True, slots=True)
class Setting:
    name: str
    type: str
    """For people."""
    default: Any
    hint: Any = str
    help: str = ""
    label: str = ""
    most: float | None = None
    """The largest number that makes sense."""
    group: str = ""
    """The title of the config that it belongs to."""
    path: str = ""
    """Its name within that config."""


def settings_of(kind: KindSpec, mode: str = "") -> list[Setting]:
    """The settings of this kind, with defaults."""
    mode = mode or kind.default_mode
    settings = list(_settings_in(kind.config_in(mode)))
    return [Setting(MODE, kind.mode_names, mode), *settings] if kind.modes else settings


def config_of(kind: KindSpec, texts: Mapping[str, str]) -> Any:
    """The config of a kind with these settings. Raises KindError for unknown names and for wrong values."""
    texts = dict(texts)
    config = kind.config_in(texts.pop(MODE, kind.default_mode) if kind.modes else "")
    settings = {setting.name: setting for setting in _settings_in(config)}
    for name, text in texts.items():
        setting = settings[_full_name(kind, name, list(settings))]
        try:
            value = parse_value(setting.hint, text.strip(), setting.most)
        except ValueError as error:
            raise KindError(f"{setting.name} has to be {setting.type}, not {text!r}. {error}".strip()) from error
        try:
            config = _replace(config, setting.name.split("."), value)
        except ValueError as error:
            raise KindError(f"{setting.name}: {error}") from error
    return config


@cache
def _hints(config_type: Any) -> Mapping[str, Any]:
    return get_type_hints(config_type)


def _settings_in(config: Any, prefix: str = "", group: str = "", path: str = "") -> Iterator[Setting]:
    config_type: Any = type(config)
    hints = _hints(config_type)
    for item in fields(config):
        value = getattr(config, item.name)
        name = f"{prefix}{item.name}"
        if not is_dataclass(value):
            yield _setting(item, name, value, hints[item.name], group, f"{path}{item.name}")
        elif group:
            yield from _settings_in(value, f"{name}.", group, f"{path}{item.name}.")
        else:
            yield from _settings_in(value, f"{name}.", getattr(value, "TITLE", ""))


def _setting(item: ConfigField[Any], name: str, value: Any, hint: Any, group: str, path: str) -> Setting:
    return Setting(name, type_name(hint), value, hint, group=group, path=path, **item.metadata)


def _full_name(kind: KindSpec, name: str, names: list[str]) -> str:
    if name in names:
        return name
    endings = [full_name for full_name in names if full_name.endswith(f".{name}")]
    if len(endings) == 1:
        return endings[0]
    if endings:
        raise KindError(f"{name!r} could be {', '.join(endings)}.")
    all_names = [MODE, *names] if kind.modes else names
    raise KindError(f"{kind} has no setting {name!r}. There are: {', '.join(all_names)}.")


def _replace(config: Any, path: list[str], value: Any) -> Any:
    first, *rest = path
    inner = _replace(getattr(config, first), rest, value) if rest else value
    return replace(config, **{first: inner})
