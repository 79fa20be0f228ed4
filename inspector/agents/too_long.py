"""Tells from an error's text whether the prompt was too long, in all the forms that the API and its resellers use."""

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
    """The error that the text tells of; None if it is about something else."""
    tokens = limit = None
    if found := _OVER.search(text):
        tokens, limit = _number(found[1]), _number(found[2])
    elif found := _WITH_OUTPUT.search(text):
        tokens, limit = _sum(found[1], found[2]), _number(found[3])
    elif not _WITHOUT_NUMBERS.search(text):
        return None
    return PromptTooLongError(tokens=tokens, limit=limit, status=status, request_id=request_id)


def _number(digits: str) -> int | None:
    plain = digits.replace(",", "").replace("_", "")
    return int(plain) if plain else None


def _sum(one: str, other: str) -> int | None:
    first, second = _number(one), _number(other)
    return None if first is None or second is None else first + second
