"""Errors of asking a model, each with one sentence for people.

`retryable`: the same request may succeed a little later. The sentences never quote what was sent.
"""

from __future__ import annotations

from typing import ClassVar

from sessions.text.engine.words import plural
from sessions.usage.engine.too_long import TooLong
from sessions.usage.engine.usage import Usage


class ModelError(Exception):
    """The model gave no usable answer."""

    sentence: ClassVar[str] = "The model gave no usable answer."
    brief: ClassVar[str] = "no answer"
    """The error in a word or two, for a progress line."""
    may_retry: ClassVar[bool] = False

    def __init__(
        self,
        sentence: str | None = None,
        *,
        status: int | None = None,
        request_id: str | None = None,
        usage: Usage | None = None,
        retryable: bool | None = None,
    ) -> None:
        super().__init__(sentence or self.sentence)
        self.status = status
        self.request_id = request_id
        self.usage = usage
        """What the failed attempt was billed for, as far as is known."""
        self.retryable = self.may_retry if retryable is None else retryable


class PromptTooLongError(ModelError):
    """The request exceeds the model's context window."""

    sentence = "The conversation is too long for the model."

    def __init__(
        self,
        sentence: str | None = None,
        *,
        length: TooLong | None = None,
        status: int | None = None,
        request_id: str | None = None,
        usage: Usage | None = None,
    ) -> None:
        tokens, limit = length or (None, None)
        if sentence is None and tokens is not None and limit is not None:
            sentence = f"The conversation is too long for the model: {tokens:,} tokens, and {limit:,} fit."
        super().__init__(sentence, status=status, request_id=request_id, usage=usage)
        self.gap = length.gap if length else None
        """How many tokens the prompt is too long by, if the answer says so."""


class RateLimitedError(ModelError):
    sentence = "The API limits the rate of requests."
    brief = "rate limited"
    may_retry = True

    def __init__(
        self,
        sentence: str | None = None,
        *,
        retry_after: float | None = None,
        status: int | None = None,
        request_id: str | None = None,
        usage: Usage | None = None,
        retryable: bool | None = None,
    ) -> None:
        if sentence is None and retry_after is not None:
            wait = plural(max(1, round(retry_after)), "second")
            sentence = f"The API limits the rate of requests; it may be asked again in {wait}."
        super().__init__(sentence, status=status, request_id=request_id, usage=usage, retryable=retryable)
        self.retry_after = retry_after


class SpendCapError(ModelError):
    """A spending limit, or a limit of the plan: a short wait does not help."""

    sentence = "The account has reached its spending or usage limit; it has to be raised, or to reset, first."


class OverloadedError(ModelError):
    sentence = "The API is overloaded or has an error of its own."
    brief = "overloaded"
    may_retry = True


class UnreachableError(ModelError):
    sentence = "The API cannot be reached."
    brief = "unreachable"
    may_retry = True


class CutMidStreamError(ModelError):
    sentence = "The answer broke off in the middle."
    brief = "it broke off"
    may_retry = True


class TimedOutError(ModelError):
    sentence = "The model did not answer in time."
    brief = "timed out"
    may_retry = True


class RefusedError(ModelError):
    sentence = "The model refused to answer."


class UnauthorisedError(ModelError):
    sentence = "The API does not accept the key, or the key may not do this."


class BadRequestError(ModelError):
    sentence = "The API does not accept the request."


class CancelledError(ModelError):
    sentence = "It was stopped."
