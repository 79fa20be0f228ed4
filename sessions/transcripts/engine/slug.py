"""The name of the directory in which the agent keeps the sessions of a working directory."""

from __future__ import annotations

import re

LONGEST = 200
_OTHER = re.compile(r"[^A-Za-z0-9]")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def slug(cwd: str) -> str:
    """Letters and digits stay, everything else becomes a dash. This cannot be undone; records tell the directory."""
    name = _OTHER.sub(lambda match: "-" * (1 + (ord(match[0]) > 0xFFFF)), cwd)
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}-{_base36(abs(_hash(cwd)))}"


def _hash(words: str) -> int:
    """A hash over units of UTF-16, in 32 bits with a sign."""
    data = words.encode("utf-16-le", "surrogatepass")
    number = 0
    for index in range(0, len(data), 2):
        number = (number * 31 + int.from_bytes(data[index : index + 2], "little")) & 0xFFFFFFFF
    return number - (1 << 32) if number >> 31 else number


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return digits or "0"
