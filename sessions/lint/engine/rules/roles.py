"""The first and the last message of a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import ParsedRequest, RoleSection, spots_of, text_of
from sessions.lint.engine.rules.pairing import SERVER_CALLS


def check(request: ParsedRequest) -> Iterator[Finding]:
    if not request.sections:
        if request.rows:
            words = "There is no message of a user or an answer with content."
            yield Finding("user-first", Severity.REFUSED, "messages", words, "Put a user message first.")
        return
    first, last = request.sections[0], request.sections[-1]
    if begins_with_answer(first):
        yield Finding(
            "user-first",
            Severity.REFUSED,
            f"messages[{first[0].index}]",
            "The conversation begins with an answer.",
            "Put a user message first.",
            'messages: first message must use the "user" role',
        )
    if is_prefill(last) and request.facts and not continues_refused_answer(request.body):
        if request.facts.prefill is False:
            yield Finding(
                "prefill",
                Severity.REFUSED,
                f"messages[{last[0].index}]",
                "This model does not continue an answer that the request begins.",
                "Leave out the last assistant message, or add a user message.",
                "This model does not support assistant message prefill. The conversation must end with a user message.",
            )
        elif request.facts.prefill and ends_blank(last):
            yield Finding(
                "prefill-blank",
                Severity.REFUSED,
                spots_of(last)[-1].path,
                "The beginning of the answer ends with a space or a line break.",
                "Cut them off.",
                "messages: final assistant content cannot end with trailing whitespace",
            )
    system = next((row for row in request.rows if row.role == "system"), None)
    if system and request.facts and request.facts.system_role is False:
        yield Finding(
            "system-role",
            Severity.NOTE,
            f"messages[{system.index}].role",
            "This model is older than messages of the role system, and may refuse them.",
            "Send them as user messages if it does.",
            "role 'system' is not supported on this model",
        )


def begins_with_answer(first: RoleSection) -> bool:
    """Does the conversation begin with an answer? A summary of the API itself may come first."""
    return first[0].role == "assistant" and spots_of(first)[0].type != "compaction"


def is_prefill(last: RoleSection) -> bool:
    """Is the last message the beginning of an answer? One that waits for a tool, or a summary of the API itself, is
    not."""
    kind = spots_of(last)[-1].type
    waits = kind in ("tool_use", "compaction", *SERVER_CALLS) or kind.endswith("_tool_result")
    return last[0].role == "assistant" and not waits


def continues_refused_answer(body: Mapping[str, Any]) -> bool:
    """The token of a refused answer lets every model continue that answer."""
    return bool(body.get("fallback_credit_token"))


def ends_blank(last: RoleSection) -> bool:
    spot = spots_of(last)[-1]
    text = text_of(spot.block.get("text"))
    return spot.type == "text" and text != text.rstrip()
