"""What the API would say of a request, without asking it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sessions.lint.engine.binding import dead_thinking
from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.reading import Request, request_of
from sessions.lint.engine.returning import altered_thinking, thinking_of_another_model
from sessions.lint.engine.rules import (
    edits,
    empty,
    limits,
    lookback,
    marks,
    media,
    order,
    pairing,
    roles,
    shape,
    thinking,
    thinking_config,
    tools,
)

_FAMILIES = (
    shape,
    roles,
    pairing,
    order,
    empty,
    thinking,
    thinking_config,
    marks,
    lookback,
    tools,
    media,
    edits,
    limits,
)


def lint_request(
    body: object, model: str | None = None, *, before: Mapping[str, Any] | Sequence[Any] | None = None
) -> list[Finding]:
    """Predicts what the Messages API refuses in a body, and what it takes at a silent cost.

    `model` stands for the one that the body names. `before` is the body, or the array of messages, that `body` was made
    from: with it, thinking blocks that an edit has killed or altered are found as well. Any value can be given; none
    raises.
    """
    if not isinstance(body, Mapping):
        words = "A request's body has to be an object."
        return [Finding("shape", Severity.REFUSED, "", words, "Give it the shape that the API documents.")]
    request = request_of(body, model)
    findings = [finding for family in _FAMILIES for finding in family.check(request)]
    if before is not None:
        findings += [dead.finding(body) for dead in dead_thinking(before, body, request.model)]
        findings += [altered.finding for altered in altered_thinking(before, request.sections, request.model)]
        findings += thinking_of_another_model(before, request)
    return [*findings, *_unknown(request)]


def _unknown(request: Request) -> list[Finding]:
    if request.facts:
        return []
    named = f"Of the model {request.model}" if request.model else "The body names no model, so"
    words = f"{named} nothing is known here: what differs between models was not looked at."
    return [Finding("unknown-model", Severity.NOTE, "model", words, "Name a model from models.toml.")]
