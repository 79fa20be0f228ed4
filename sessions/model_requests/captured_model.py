"""Captures Lucid's own requests like those of the agent, to see whether they really shared a cache."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseError

from inspector.agents.errors import CancelledError, ModelError
from inspector.agents.model import Ask, InspectableModel, LanguageModel, Reply
from inspector.agents.together import Answered, ask_together
from inspector.structured import get_logger
from sessions.capture.engine import Ending, Exchange
from sessions.capture.services.captures import RequestOrigin, capture_store
from sessions.usage.engine.usage import Usage

PATH = "/v1/messages"

logger = get_logger(__name__)


class CapturedModel:
    """A model whose requests are captured, unless it does not tell what it sends, as a command does not."""

    def __init__(self, model: LanguageModel, run_id: int) -> None:
        self._model = model
        self._run_id = run_id

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def verbatim(self) -> bool:
        return self._model.verbatim

    def ask(self, ask: Ask, /) -> Reply:
        asked_at, started = time.time(), time.perf_counter()
        try:
            reply = self._model.ask(ask)
        except ModelError as error:
            outcome = {"status": error.status, "problem": str(error), "ended": _ending_of(error)}
            self._store(ask, asked_at, time.perf_counter() - started, b"", error.request_id, outcome)
            raise
        duration = time.perf_counter() - started
        self._store(ask, asked_at, duration, _message(reply, ask.model), reply.request_id, {"status": 200})
        return reply

    def ask_together(self, asks: Sequence[Ask]) -> tuple[Answered, ...]:
        """Sends several requests at once, and captures them when all have been answered."""
        answers = ask_together(self._model, asks)
        for answered in answers:
            outcome = answered.outcome
            facts = (answered.ask, answered.asked_at, answered.duration)
            if isinstance(outcome, ModelError):
                details = {"status": outcome.status, "problem": str(outcome), "ended": _ending_of(outcome)}
                self._store(*facts, b"", outcome.request_id, details)
            else:
                self._store(*facts, _message(outcome, answered.ask.model), outcome.request_id, {"status": 200})
        return answers

    def _store(
        self, ask: Ask, asked_at: float, duration: float, answer: bytes, request_id: str | None, outcome: dict[str, Any]
    ) -> None:
        if not settings.LUCID_CAPTURE or not isinstance(self._model, InspectableModel):
            return
        sends = self._model.sends(ask)
        headers = [("content-type", "application/json"), *([("request-id", request_id)] if request_id else [])]
        exchange = Exchange(
            name=f"lucid-{int(asked_at * 1000):013d}-{secrets.token_hex(8)}",
            at=int(asked_at * 1000),
            method="POST",
            path=PATH,
            headers=[("anthropic-beta", ",".join(sends.betas))] if sends.betas else [],
            request=sends.body,
            answer_headers=headers,
            answer=answer,
            duration_ms=1000 * duration,
            **outcome,
        )
        try:
            capture_store(exchange=exchange, asker=RequestOrigin(self._run_id, ask.parent))
        except DatabaseError as error:
            # The purpose of the run matters more than a record of what it asked.
            logger.warning("own_request_not_captured", run=self._run_id, error=str(error))


def _ending_of(error: ModelError) -> Ending:
    if isinstance(error, CancelledError):
        return Ending.LEFT
    return Ending.COMPLETE if error.status is not None else Ending.UNREACHABLE


def _message(reply: Reply, model: str) -> bytes:
    """The answer as the API gives it, with the usage that was billed for all attempts."""
    return json.dumps(
        {
            "id": reply.message_id or "",
            "type": "message",
            "role": "assistant",
            "model": reply.model or model,
            "content": list(reply.content),
            "stop_reason": reply.stop_reason,
            "usage": _usage(reply.usage),
        }
    ).encode()


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write_5m + usage.cache_write_1h,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_write_5m,
            "ephemeral_1h_input_tokens": usage.cache_write_1h,
        },
        "output_tokens": usage.output,
    }
