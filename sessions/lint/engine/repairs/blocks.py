"""Leaves out blocks that the API refuses wherever they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from sessions.lint.engine.repairs.draft import Draft
from sessions.lint.engine.request_reader import BlockSpot, MessageRow
from sessions.lint.engine.rules.characters import has_half_character, replace_halves
from sessions.lint.engine.rules.empty import accepted_blanks, empty_parts, is_blank, is_empty_error
from sessions.lint.engine.rules.pairing import ANSWER_BLOCKS, orphaned_server_results
from sessions.lint.engine.rules.shape import missing_key
from sessions.lint.engine.rules.thinking import is_signed, trailing_thinking

NO_OUTPUT = "[no output]"


def repair_blocks(draft: Draft) -> None:
    for row in draft.rows:
        row.spots = [_repair_input(draft, spot) for spot in row.spots]
    draft.drop(lambda row, spot: not missing_key(spot.block), "It lacks what a block of its type needs.")
    draft.drop(_fits_role, "It cannot stand in a message of this role.")
    draft.drop(lambda row, spot: is_signed(spot), "It is not signed, so the API would not take it as the model's own.")
    accepted = {id(spot) for spot in accepted_blanks(draft.sections)}
    draft.drop(lambda row, spot: id(spot) in accepted or not is_blank(spot.block), "It is empty.")
    draft.drop_spots(orphaned_server_results(_spots(draft)), "Its call is not there.")
    for row in draft.rows:
        row.spots = [_repair_empty_result(draft, _repair_characters(draft, spot)) for spot in row.spots]


def repair_trailing_thinking(draft: Draft) -> None:
    trailing = [spot for section in draft.sections for spot in trailing_thinking(section)]
    draft.drop_spots(trailing, "An answer cannot end with thinking.")


def _repair_input(draft: Draft, spot: BlockSpot) -> BlockSpot:
    """Parse an input that is a string or missing, as clients leave it that assemble calls from a stream."""
    value = spot.block.get("input")
    parsed = _parse_input(value) if spot.type == "tool_use" and not isinstance(value, Mapping) else None
    if parsed is None:
        return spot
    draft.note(spot.path, "Wrote the input of a call as an object.", "The API takes nothing else.")
    return replace(spot, block={**spot.block, "input": parsed})


def _parse_input(value: object) -> dict[str, Any] | None:
    if value is None or value == "":
        return {}
    try:
        parsed = orjson.loads(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _fits_role(row: MessageRow, spot: BlockSpot) -> bool:
    if spot.type == "tool_result":
        return row.role == "user"
    return row.role == "assistant" or spot.type not in ANSWER_BLOCKS


def _spots(draft: Draft) -> list[BlockSpot]:
    return [spot for row in draft.rows for spot in row.spots]


def _repair_characters(draft: Draft, spot: BlockSpot) -> BlockSpot:
    if not has_half_character(spot.block):
        return spot
    try:
        block = replace_halves(spot.block)
    except RecursionError:
        return spot
    draft.note(spot.path, "Put U+FFFD in the place of half a character.", "The API cannot read it.")
    return replace(spot, block=block)


def _repair_empty_result(draft: Draft, spot: BlockSpot) -> BlockSpot:
    empty = empty_parts(spot.block)
    if not empty and not is_empty_error(spot.block):
        return spot
    block: dict[str, Any] = dict(spot.block)
    if empty:
        block["content"] = [part for index, part in enumerate(block["content"]) if index not in empty]
        draft.note(spot.path, "Left out empty texts of a result.", "Empty texts are refused.")
    if is_empty_error(block):
        block["content"] = NO_OUTPUT
        draft.note(spot.path, "Gave an error a text.", "A result that is an error has to say something.")
    return replace(spot, block=block)
