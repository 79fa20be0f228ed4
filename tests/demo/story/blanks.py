"""Values that only the finished transcript tells: each has a blank in it, which is filled in when all is counted."""

from __future__ import annotations

import json
import re
from typing import Any

_BLANK = re.compile(rb'"@@(\d+)@@"|@@(\d+)@@')


class Blanks:
    def __init__(self) -> None:
        self._values: list[Any] = []

    def open(self, neutral: Any = 0) -> str:
        """A blank, to be put into a record. `neutral`: what stands there until it is filled in."""
        self._values.append(neutral)
        return f"@@{len(self._values) - 1}@@"

    def fill(self, blank: str, value: Any) -> None:
        self._values[int(blank.strip("@"))] = value

    def filled(self, data: bytes) -> bytes:
        return _BLANK.sub(self._value, data)

    def _value(self, match: re.Match[bytes]) -> bytes:
        alone, inside = match.groups()
        value = self._values[int(alone or inside)]
        return str(value).encode() if inside else json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
