"""Recognises a “prompt too long” error by its text, in all forms that the API and its resellers use."""

from __future__ import annotations

import re

from inspector.agents.errors import PromptTooLongError

_NUMBER = r"([\d,_]{1,15})"
_OVER = re.compile(rf"prompt is too long:?\s*{_NUMBER}\s*tokens?\s*>\s*{_NUMBER}", re.IGNORECASE)
_WITH_OUTPUT = re.compile(
    rf"input length and `?max_tokens`? exceed context limit:?\s*{_NUMBER}\s*\+\s*{_NUMBER}\s*>\s*{_NUMBER}",
    re.IGNORECASE,
)
_WITHOUT_NUMBERS = re.compile(
    r"prompt is too long|input is too long for requested model|exceed(?:s|ed)? (?:the )?(?:model'?s? )?"
    r"(?:maximum )?context (?:limit|length|window)|input length and `?max_tokens`? exceed|"
    r"too many (?:total )?input tokens",
    re.IGNORECASE,
)


def prompt_too_long(
    text: str, *, status: int | None = None, request_id: str | None = None
) -> PromptTooLongError | None:
    """The error that the text describes; None if it is about something else."""
    tokens = limit = None
    if match := _OVER.search(text):
        tokens, limit = _number(match[1]), _number(match[2])
    elif match := _WITH_OUTPUT.search(text):
        tokens, limit = _sum(match[1], match[2]), _number(match[3])
    elif not _WITHOUT_NUMBERS.search(text):
        return None
    return PromptTooLongError(tokens=tokens, limit=limit, status=status, request_id=request_id)


def _number(digits: str) -> int | None:
    plain = digits.replace(",", "").replace("_", "")
    return int(plain) if plain else None


def _sum(left: str, right: str) -> int | None:
    first, second = _number(left), _number(right)
    return None if first is None or second is None else first + second
