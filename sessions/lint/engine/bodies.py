"""Reads request bodies from a file: one JSON object, or one on each line."""

from __future__ import annotations

import json
from typing import Any


class UnreadableBodyError(ValueError):
    """Says in a sentence why the file holds no request body."""


def parse_bodies(data: bytes) -> list[dict[str, Any]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableBodyError(f"it is not UTF-8 (byte {error.start}).") from error
    if not text.strip():
        raise UnreadableBodyError("it is empty.")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if len(lines) == 1 or not _starts_lines(lines[0][1]):
            raise UnreadableBodyError(f"it is not JSON ({_reason(error)}).") from error
        return [_require_object(_load_line(line, number), f"line {number}") for number, line in lines]
    return [_require_object(whole, "it")]


def _starts_lines(line: str) -> bool:
    """Is the file one object a line? Else an error about its first line would mislead."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _load_line(line: str, number: int) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableBodyError(f"line {number} is not JSON ({_reason(error)}).") from error


def _require_object(value: object, subject: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnreadableBodyError(f"{subject} is not a request's body, which is an object with a list of messages.")
    return value


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno}, column {error.colno}"
    return "too deep" if isinstance(error, RecursionError) else str(error).partition(";")[0]
