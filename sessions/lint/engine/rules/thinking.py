"""Thinking blocks: complete, in the right place, and with a configuration that the model accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import BlockSpot, ParsedRequest, RoleSection, spots_of, text_of
from sessions.lint.engine.rules.pairing import results_of
from sessions.transcripts.engine.messages import THINKING_TYPES


def check(request: ParsedRequest) -> Iterator[Finding]:
    yield from _check_signatures(request)
    yield from _check_end(request)
    kind = mode_of(request.body)
    loop = latest_turn(request.sections)
    if kind == "enabled" and loop and not begins_with_thinking(loop):
        yield _not_first_finding(spots_of(loop[0])[0])
    last = request.sections[-1] if request.sections else None
    if kind == "disabled" and last and last[0].role == "assistant" and spots_of(last, *THINKING_TYPES):
        spot = spots_of(last, *THINKING_TYPES)[0]
        yield Finding(
            "thinking-disabled",
            Severity.REFUSED,
            spot.path,
            "Thinking is off, and the answer that the request begins contains some.",
            "Leave the thinking blocks of the last message out, or turn thinking on.",
            f"{spot.api_path}: When thinking is disabled, an `assistant` message in the final position cannot contain "
            "`thinking`. To use thinking blocks, enable `thinking` in your request.",
        )
    yield from _check_forgotten(request)


def mode_of(body: Mapping[str, Any]) -> str:
    config = body.get("thinking")
    return text_of(config.get("type")) if isinstance(config, Mapping) else ""


def is_signed(spot: BlockSpot) -> bool:
    if spot.type == "redacted_thinking":
        return bool(text_of(spot.block.get("data")))
    return spot.type != "thinking" or bool(text_of(spot.block.get("signature")))


def latest_turn(sections: list[RoleSection]) -> list[RoleSection]:
    """The answers of the latest turn: those since the last user message without results."""
    loop: list[RoleSection] = []
    for section in reversed(sections):
        if section[0].role == "assistant":
            loop.insert(0, section)
        elif not results_of(section):
            break
    return loop


def begins_with_thinking(loop: list[RoleSection]) -> bool:
    return spots_of(loop[0])[0].type in THINKING_TYPES


def trailing_thinking(section: RoleSection) -> list[BlockSpot]:
    spots = spots_of(section) if section[0].role == "assistant" else []
    end = len(spots)
    while end and spots[end - 1].type in THINKING_TYPES:
        end -= 1
    return spots[end:]


def _check_signatures(request: ParsedRequest) -> Iterator[Finding]:
    for spot in request.spots:
        if not is_signed(spot):
            key = "signature" if spot.type == "thinking" else "data"
            yield Finding(
                "unsigned-thinking",
                Severity.REFUSED,
                spot.path,
                f"The thinking block has no {key}, so the API cannot tell that it is the model's own.",
                "Leave the block out.",
                f"{spot.api_path}.{spot.type}.{key}: Field required"
                if key not in spot.block
                else f"{spot.api_path}: Invalid `{key}` in `{spot.type}` block",
            )


def _check_end(request: ParsedRequest) -> Iterator[Finding]:
    for section in request.sections:
        spots = trailing_thinking(section)
        if spots:
            yield Finding(
                "thinking-last",
                Severity.REFUSED,
                spots[-1].path,
                "The answer ends with thinking: nothing came of it.",
                "Leave those thinking blocks out.",
                f"messages.{spots[-1].message}: The final block in an assistant message cannot be `thinking`.",
            )


def _not_first_finding(spot: BlockSpot) -> Finding:
    return Finding(
        "thinking-first",
        Severity.REFUSED,
        spot.path,
        "Thinking is on, and the latest turn does not begin with the thinking that led to its calls.",
        "Send the answer with its thinking blocks in front, as it came, or turn thinking off for this request.",
        f"{spot.api_path}.type: Expected `thinking` or `redacted_thinking`, but found `{spot.type}`. When `thinking` "
        "is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of "
        "`tool_use` and `tool_result` blocks).",
    )


def _check_forgotten(request: ParsedRequest) -> Iterator[Finding]:
    if not request.facts or request.facts.keeps_thinking is not False:
        return
    loop = latest_turn(request.sections)
    earlier = [section for section in request.sections if not any(section is answer for answer in loop)]
    spots = [spot for section in earlier for spot in spots_of(section, *THINKING_TYPES)]
    if spots:
        yield Finding(
            "forgotten-thinking",
            Severity.NOTE,
            spots[0].path,
            f"This model sees the thinking of the latest turn only; {len(spots)} earlier thinking blocks are ignored.",
            "They can be left out.",
        )
