"""Resolves relative dates to the day that they meant when they were written."""

from __future__ import annotations

import re
from datetime import date, timedelta

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTING = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {word: number for number, word in enumerate(_COUNTING, start=1)} | {"a": 1, "an": 1}
_NAMED = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1, "last night": -1}
_STEPS = {"last": -1, "past": -1, "this": 0, "next": 1, "coming": 1}
_COUNTED = re.compile(r"(\w+) (day|week|month|year|hour|minute)s? (ago|from now)")


def resolve_date(phrase: str, written: date) -> str:
    """A date, a month, a year, or “the week of …”; empty if it is ambiguous."""
    words = " ".join(phrase.lower().split())
    if words in _NAMED:
        return _add_days(written, _NAMED[words])
    first, _, rest = words.partition(" ")
    if first == "this" and rest in ("morning", "afternoon", "evening"):
        return _add_days(written, 0)
    if counted := _COUNTED.fullmatch(words):
        return _resolve_count(counted, written)
    if rest in _DAYS:
        return _resolve_weekday(first, _DAYS.index(rest), written)
    return _resolve_span(_STEPS[first], rest, written) if first in _STEPS else ""


def _add_days(written: date, days: int) -> str:
    return (written + timedelta(days=days)).isoformat()


def _resolve_count(match: re.Match[str], written: date) -> str:
    number = _NUMBERS.get(match[1]) or (int(match[1]) if match[1].isdigit() else 0)
    number = -number if match[3] == "ago" else number
    if not number:
        return ""
    if match[2] in ("hour", "minute"):
        return ""
    if match[2] in ("day", "week"):
        return _add_days(written, number * (7 if match[2] == "week" else 1))
    return _add_months(written, number) if match[2] == "month" else str(written.year + number)


def _resolve_weekday(first: str, day: int, written: date) -> str:
    ahead = (day - written.weekday() - 1) % 7 + 1
    if first in ("last", "past", "since"):
        return _add_days(written, ahead - 7 if ahead < 7 else -7)
    return _add_days(written, ahead)


def _resolve_span(step: int, unit: str, written: date) -> str:
    if unit == "week":
        return f"the week of {_add_days(written, 7 * step - written.weekday())}"
    if unit == "weekend":
        return f"the weekend of {_add_days(written, 7 * step - written.weekday() + 5)}"
    if unit == "month":
        return _add_months(written, step)
    if unit == "quarter":
        quarters = written.year * 4 + (written.month - 1) // 3 + step
        return f"{quarters // 4}-Q{quarters % 4 + 1}"
    return str(written.year + step) if unit == "year" else ""


def _add_months(written: date, step: int) -> str:
    months = written.year * 12 + written.month - 1 + step
    return f"{months // 12}-{months % 12 + 1:02}"
