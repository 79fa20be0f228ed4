"""Parses typed values by the type of their field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from math import isfinite
from typing import Any, TypeVar

_SWITCHES = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}
_NONE = ("none", "")
Value = TypeVar("Value")
Number = TypeVar("Number", int, float)


def _switch(text: str) -> bool:
    if text.lower() not in _SWITCHES:
        raise ValueError
    return _SWITCHES[text.lower()]


def _whole(text: str) -> int:
    return _not_negative(int(text.replace(",", "").replace("_", "")))


def _number(text: str) -> float:
    number = float(text.replace(",", "").replace("_", ""))
    if not isfinite(number):
        raise ValueError
    return _not_negative(number)


def _not_negative(number: Number) -> Number:
    if number < 0:
        raise ValueError("It must not be negative.")
    return number


def _names(text: str) -> tuple[str, ...]:
    return tuple(part for part in map(str.strip, text.split(",")) if part)


def _limits(text: str) -> dict[str, int | None]:
    pairs = (pair.partition(":") for pair in _names(text))
    return {tool.strip(): _or_none(_whole)(limit.strip()) for tool, _, limit in pairs}


def _or_none(read: Callable[[str], Value]) -> Callable[[str], Value | None]:
    return lambda text: None if text.lower() in _NONE else read(text)


_READERS: Mapping[Any, Callable[[str], Any]] = {
    bool: _switch,
    int: _whole,
    float: _number,
    str: str,
    int | None: _or_none(_whole),
    float | None: _or_none(_number),
    tuple[str, ...]: _names,
    Mapping[str, int | None]: _limits,
}
_NAMES: Mapping[Any, str] = {
    bool: "on or off",
    int: "a whole number",
    float: "a number",
    str: "a text",
    int | None: "a whole number or none",
    float | None: "a number or none",
    tuple[str, ...]: "names with commas between",
    Mapping[str, int | None]: "limits such as Read:1000,Bash:none",
}


def choices_of(hint: Any) -> tuple[str, ...]:
    """The values that a setting can have, if they are few."""
    return tuple(map(str, hint)) if isinstance(hint, type) and issubclass(hint, StrEnum) else ()


def type_name(hint: Any) -> str:
    """For people."""
    if choices := choices_of(hint):
        return f"{', '.join(choices[:-1])} or {choices[-1]}"
    return _NAMES.get(hint, "a value")


def parse_value(hint: Any, text: str, most: float | None = None) -> Any:
    """Raises ValueError, with a sentence unless the value just has the wrong type."""
    read = hint if choices_of(hint) else _READERS.get(hint)
    if read is None:
        raise ValueError("It cannot be set this way.")
    try:
        value = read(text)
        if most is not None and value is not None and value > most:
            raise ValueError(f"It must not be more than {most:,}.")
    except ValueError as error:
        # Python's own message is about literals and bases, which helps nobody.
        raise ValueError(str(error) if str(error).startswith("It ") else "") from None
    return value
