"""The cache marks of a request: where they are, and for how long the prompt is cached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.rendering.array import Element
from sessions.linking.engine.raw_fields import mapping, text


class CacheMark(NamedTuple):
    path: str
    """As in the request: `system[1]`, `messages[4].content[0]`."""
    ttl: str
    scope: str = ""


MarksByBlock = dict[tuple[str, int, int], CacheMark]
"""(section, number of the part, number of the block in it) -> its mark."""


def marks_of(setup: RequestSetup, elements: Sequence[Element]) -> MarksByBlock:
    """The marks from the client's log, or else from the blocks themselves."""
    marks: MarksByBlock = {}
    for logged in setup.marks or ():
        place = _parse_path(logged.get("path"), elements)
        if place is not None:
            marks[place] = _mark(place, mapping(logged.get("value")))
    if marks:
        return marks
    for section, blocks in (("tools", setup.tools or ()), ("system", setup.system or ())):
        for number, block in enumerate(blocks):
            _add_own_mark(marks, (section, number, 0), block)
    for number, element in enumerate(elements):
        for block_number, piece in enumerate(element.pieces):
            _add_own_mark(marks, ("messages", number, block_number), piece.block)
    return marks


def _add_own_mark(marks: MarksByBlock, place: tuple[str, int, int], block: Mapping[str, Any]) -> None:
    mark = block.get("cache_control")
    if isinstance(mark, Mapping):
        marks[place] = _mark(place, mark)


def _parse_path(path: object, elements: Sequence[Element]) -> tuple[str, int, int] | None:
    match path:
        case ["tools" | "system" as section, int(number)]:
            return section, number, 0
        case ["messages", int(message), "content", int(block)]:
            return "messages", message, block
        case ["messages", int(message), *_] if 0 <= message < len(elements):
            return "messages", message, max(0, len(elements[message].pieces) - 1)
    return None


def _mark(place: tuple[str, int, int], value: Mapping[str, Any]) -> CacheMark:
    section, number, block = place
    path = f"{section}[{number}]" if section != "messages" else f"messages[{number}].content[{block}]"
    return CacheMark(path, text(value.get("ttl")) or "5m", text(value.get("scope")))
