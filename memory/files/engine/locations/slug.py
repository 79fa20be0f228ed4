"""The agent's name for a project's directory: the path with every UTF-16 unit that is not an ASCII letter or digit
replaced by `-`. The path cannot be recovered from it."""

from __future__ import annotations

import re

LONGEST = 200
_OTHER = re.compile(r"[^A-Za-z0-9]")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def slug_of(path: str) -> str:
    units = _units(path)
    slug = "".join(_OTHER.sub("-", chr(unit)) for unit in units)
    return slug if len(slug) <= LONGEST else f"{slug[:LONGEST]}-{_base36(abs(_hash(units)))}"


def _units(path: str) -> list[int]:
    data = path.encode("utf-16-le", "surrogatepass")
    return [data[index] | data[index + 1] << 8 for index in range(0, len(data), 2)]


def _hash(units: list[int]) -> int:
    """Java's string hash: a signed 32-bit number."""
    value = 0
    for unit in units:
        value = (value * 31 + unit) & 0xFFFFFFFF
    return value - 0x1_0000_0000 if value & 0x8000_0000 else value


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return digits or "0"
