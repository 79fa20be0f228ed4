"""What the API would say about a request, without asking it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import ParsedRequest, parse_request
from sessions.lint.engine.returned_thinking import altered_thinking, check_foreign_thinking
from sessions.lint.engine.rules import (
    cache_marks,
    edits,
    empty,
    limits,
    lookback,
    media,
    order,
    pairing,
    roles,
    shape,
    thinking,
    thinking_config,
    tools,
)
from sessions.lint.engine.thinking_binding import dead_thinking

_FAMILIES = (
    shape,
    roles,
    pairing,
    order,
    empty,
    thinking,
    thinking_config,
    cache_marks,
    lookback,
    tools,
    media,
    edits,
    limits,
)


def lint_request(
    body: object, model: str | None = None, *, before: Mapping[str, Any] | Sequence[Any] | None = None
) -> list[Finding]:
    """Predict what the Messages API refuses in a body, and what it accepts at a silent cost.

    `model` overrides the model that the body names. `before` is the body, or the array of messages, that `body` was
    made from: with it, thinking blocks that an edit has altered or made invalid are found as well. Never raises,
    whatever the body is.
    """
    if not isinstance(body, Mapping):
        words = "A request's body has to be an object."
        return [Finding("shape", Severity.REFUSED, "", words, "Give it the shape that the API documents.")]
    request = parse_request(body, model)
    findings = [finding for family in _FAMILIES for finding in family.check(request)]
    if before is not None:
        findings += [dead.finding(body) for dead in dead_thinking(before, body, request.model)]
        findings += [altered.finding for altered in altered_thinking(before, request.sections, request.model)]
        findings += check_foreign_thinking(before, request)
    return [*findings, *_note_unknown_model(request)]


def _note_unknown_model(request: ParsedRequest) -> list[Finding]:
    if request.facts:
        return []
    named = f"Of the model {request.model}" if request.model else "The body names no model, so"
    words = f"{named} nothing is known here: what differs between models was not looked at."
    return [Finding("unknown-model", Severity.NOTE, "model", words, "Name a model from models.toml.")]
