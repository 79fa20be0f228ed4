"""Blocks that the API refuses wherever they stand are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from sessions.lint.engine.mending.draft import Draft
from sessions.lint.engine.reading import Row, Spot
from sessions.lint.engine.rules.characters import is_broken, whole
from sessions.lint.engine.rules.empty import (
    blanks_of_answers,
    empty_parts,
    is_blank,
    is_empty_error,
)
from sessions.lint.engine.rules.pairing import OF_ANSWERS, orphaned_server_results
from sessions.lint.engine.rules.shape import missing_key
from sessions.lint.engine.rules.thinking import is_signed, trailing_thinking

NO_OUTPUT = "[no output]"


def mend_blocks(draft: Draft) -> None:
    for row in draft.rows:
        row.spots = [_with_input(draft, spot) for spot in row.spots]
    draft.drop(lambda row, spot: not missing_key(spot.block), "It lacks what a block of its type needs.")
    draft.drop(_in_its_role, "It cannot stand in a message of this role.")
    draft.drop(lambda row, spot: is_signed(spot), "It is not signed, so the API would not take it as the model's own.")
    taken = {id(spot) for spot in blanks_of_answers(draft.sections)}
    draft.drop(lambda row, spot: id(spot) in taken or not is_blank(spot.block), "It is empty.")
    draft.drop_spots(orphaned_server_results(_spots(draft)), "Its call is not there.")
    for row in draft.rows:
        row.spots = [_filled(draft, _readable(draft, spot)) for spot in row.spots]


def mend_thinking(draft: Draft) -> None:
    trailing = [spot for section in draft.sections for spot in trailing_thinking(section)]
    draft.drop_spots(trailing, "An answer cannot end with thinking.")


def _with_input(draft: Draft, spot: Spot) -> Spot:
    """Clients that put calls together from a stream may keep the text of an input, or none where it is empty."""
    given = spot.block.get("input")
    read = _read(given) if spot.type == "tool_use" and not isinstance(given, Mapping) else None
    if read is None:
        return spot
    draft.say(spot.path, "Wrote the input of a call as an object.", "The API takes nothing else.")
    return replace(spot, block={**spot.block, "input": read})


def _read(given: object) -> dict[str, Any] | None:
    if given is None or given == "":
        return {}
    try:
        read = orjson.loads(given) if isinstance(given, str) else None
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


def _in_its_role(row: Row, spot: Spot) -> bool:
    if spot.type == "tool_result":
        return row.role == "user"
    return row.role == "assistant" or spot.type not in OF_ANSWERS


def _spots(draft: Draft) -> list[Spot]:
    return [spot for row in draft.rows for spot in row.spots]


def _readable(draft: Draft, spot: Spot) -> Spot:
    if not is_broken(spot.block):
        return spot
    try:
        block = whole(spot.block)
    except RecursionError:
        return spot
    draft.say(spot.path, "Put U+FFFD in the place of half a character.", "The API cannot read it.")
    return replace(spot, block=block)


def _filled(draft: Draft, spot: Spot) -> Spot:
    empty = empty_parts(spot.block)
    if not empty and not is_empty_error(spot.block):
        return spot
    block: dict[str, Any] = dict(spot.block)
    if empty:
        block["content"] = [part for at, part in enumerate(block["content"]) if at not in empty]
        draft.say(spot.path, "Left out empty texts of a result.", "Empty texts are refused.")
    if is_empty_error(block):
        block["content"] = NO_OUTPUT
        draft.say(spot.path, "Gave an error a text.", "A result that is an error has to say something.")
    return replace(spot, block=block)
