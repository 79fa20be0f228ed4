"""Recognises a “prompt too long” error by its text, in all forms that the API and its resellers use."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBER = r"(\d[\d,_]{0,14})(?!\d)"
_OVER = re.compile(rf"prompt is too long[^\d]{{0,40}}{_NUMBER}\s*tokens?\s*>\s*{_NUMBER}", re.IGNORECASE)
_WITH_OUTPUT = re.compile(
    rf"input length and [`'\"]?max_tokens[`'\"]? exceed context limit:?\s*{_NUMBER}\s*\+\s*{_NUMBER}\s*>\s*{_NUMBER}",
    re.IGNORECASE,
)
_WITHOUT_NUMBERS = re.compile(
    r"prompt is too long|input is too long for requested model|model_context_window_exceeded|"
    r"exceed(?:s|ed)? (?:the )?(?:model'?s? )?(?:maximum )?context (?:limit|length|window)|"
    r"input length and [`'\"]?max_tokens[`'\"]? exceed|too many (?:total )?input tokens",
    re.IGNORECASE,
)


class TooLong(NamedTuple):
    """The numbers of such an error; None where it has none."""

    tokens: int | None = None
    limit: int | None = None

    @property
    def gap(self) -> int | None:
        """How many tokens the prompt is too long by."""
        if self.tokens is None or self.limit is None or self.tokens <= self.limit:
            return None
        return self.tokens - self.limit


def read_too_long(text: str) -> TooLong | None:
    """None if the text is not such an error."""
    if match := _OVER.search(text):
        return TooLong(_number(match[1]), _number(match[2]))
    if match := _WITH_OUTPUT.search(text):
        return TooLong(_number(match[1]) + _number(match[2]), _number(match[3]))
    return TooLong() if _WITHOUT_NUMBERS.search(text) else None


def _number(digits: str) -> int:
    return int(digits.replace(",", "").replace("_", ""))
