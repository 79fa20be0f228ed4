"""Turns an error answer of the API into one of our errors, by status, headers and body."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from inspector.agents.errors import (
    BadRequestError,
    ModelError,
    OverloadedError,
    PromptTooLongError,
    RateLimitedError,
    SpendCapError,
    TimedOutError,
    UnauthorisedError,
)
from sessions.usage.engine.too_long import read_too_long

_LONGEST_QUOTE = 300
# The API reports this as an invalid request; only the words tell.
_OUT_OF_MONEY = ("credit balance is too low", "reached your specified api usage limits")


def prompt_too_long(
    text: str, *, status: int | None = None, request_id: str | None = None
) -> PromptTooLongError | None:
    """The error that the text tells of; None if it is about something else."""
    length = read_too_long(text)
    return PromptTooLongError(length=length, status=status, request_id=request_id) if length is not None else None


def error_of_status(status: int, headers: Mapping[str, str], body: Any, now: datetime) -> ModelError:
    """For an HTTP error."""
    kind, text = _error_in(body)
    request_id = headers.get("request-id")
    if too_long := prompt_too_long(text, status=status, request_id=request_id):
        return too_long
    retryable = False if headers.get("x-should-retry") == "false" else None
    if status == 413:
        sentence = "The request is larger than the API takes."
        return PromptTooLongError(sentence, status=status, request_id=request_id)
    if status == 402 or _is_about_money(kind, text):
        return SpendCapError(status=status, request_id=request_id)
    if status == 429:
        wait = retry_after(headers, now)
        if wait is None:
            return SpendCapError(status=status, request_id=request_id)
        return RateLimitedError(retry_after=wait, status=status, request_id=request_id, retryable=retryable)
    if status in (401, 403):
        return UnauthorisedError(status=status, request_id=request_id)
    if status in (408, 504):
        return TimedOutError(status=status, request_id=request_id, retryable=retryable)
    if status in (409, 425) or status >= 500:
        return OverloadedError(status=status, request_id=request_id, retryable=retryable)
    return BadRequestError(_sentence(status, text), status=status, request_id=request_id)


def error_of_event(body: Any, request_id: str | None) -> ModelError:
    """For an error in the middle of a stream, which has no status or headers, only a type."""
    kind, text = _error_in(body)
    if too_long := prompt_too_long(text, request_id=request_id):
        return too_long
    if kind in ("authentication_error", "permission_error"):
        return UnauthorisedError(request_id=request_id)
    if _is_about_money(kind, text):
        return SpendCapError(request_id=request_id)
    if kind in ("invalid_request_error", "not_found_error", "request_too_large"):
        return BadRequestError(_sentence(None, text), request_id=request_id)
    if kind == "rate_limit_error":
        return RateLimitedError(request_id=request_id)
    if kind == "timeout_error":
        return TimedOutError(request_id=request_id)
    return OverloadedError("The API broke the answer off with an error of its own.", request_id=request_id)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds, from either header in either form; None if there is none."""
    try:
        if value := headers.get("retry-after-ms"):
            return max(0.0, float(value) / 1000)
        if not (value := headers.get("retry-after")):
            return None
        try:
            return max(0.0, float(value))
        except ValueError:
            return max(0.0, (parsedate_to_datetime(value) - now).total_seconds())
    except (TypeError, ValueError):
        return None


def _is_about_money(kind: str, text: str) -> bool:
    folded = text.lower()
    return kind == "billing_error" or any(words in folded for words in _OUT_OF_MONEY)


def _error_in(body: Any) -> tuple[str, str]:
    """Type and message, for any body."""
    if isinstance(body, Mapping):
        error = body.get("error")
        if isinstance(error, Mapping):
            return str(error.get("type") or ""), str(error.get("message") or "")
        return str(body.get("type") or ""), str(body.get("message") or error or "")
    return "", body if isinstance(body, str) else ""


def _sentence(status: int | None, text: str) -> str:
    # The API's own words name a place in the request, not its content.
    quote = " ".join(text.split())[:_LONGEST_QUOTE].rstrip(".")
    if status == 404:
        return f"The API does not know the model or the address: {quote}." if quote else "The API does not know it."
    return f"The API does not accept the request: {quote}." if quote else BadRequestError.sentence
