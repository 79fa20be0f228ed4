"""The name of the directory in which the agent keeps the sessions of a working directory."""

from __future__ import annotations

import re

LONGEST = 200
_OTHER = re.compile(r"[^A-Za-z0-9]")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def slug(cwd: str) -> str:
    """Letters and digits stay, all else is a dash. It cannot be read back: records say what the directory was."""
    name = _OTHER.sub(lambda one: "-" * (1 + (ord(one[0]) > 0xFFFF)), cwd)
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}-{_base36(abs(_hash(cwd)))}"


def _hash(words: str) -> int:
    """Over units of UTF-16, in 32 bits with a sign."""
    data = words.encode("utf-16-le", "surrogatepass")
    found = 0
    for at in range(0, len(data), 2):
        found = (found * 31 + int.from_bytes(data[at : at + 2], "little")) & 0xFFFFFFFF
    return found - (1 << 32) if found >> 31 else found


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return digits or "0"
