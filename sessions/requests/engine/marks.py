"""Where a request asks for its prompt to be cached, and for how long."""

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


Places = dict[tuple[str, int, int], CacheMark]
"""(section, number of the part, number of the block in it) -> its mark."""


def marks_of(given: RequestSetup, elements: Sequence[Element]) -> Places:
    """As the log of the request tells it; else as the blocks themselves carry it."""
    found: Places = {}
    for one in given.marks or ():
        place = _place(one.get("path"), elements)
        if place is not None:
            found[place] = _mark(place, mapping(one.get("value")))
    if found:
        return found
    for section, blocks in (("tools", given.tools or ()), ("system", given.system or ())):
        for at, block in enumerate(blocks):
            _carried(found, (section, at, 0), block)
    for number, element in enumerate(elements):
        for at, piece in enumerate(element.pieces):
            _carried(found, ("messages", number, at), piece.block)
    return found


def _carried(found: Places, place: tuple[str, int, int], block: Mapping[str, Any]) -> None:
    mark = block.get("cache_control")
    if isinstance(mark, Mapping):
        found[place] = _mark(place, mark)


def _place(path: object, elements: Sequence[Element]) -> tuple[str, int, int] | None:
    match path:
        case ["tools" | "system" as section, int(at)]:
            return section, at, 0
        case ["messages", int(message), "content", int(block)]:
            return "messages", message, block
        case ["messages", int(message), *_] if 0 <= message < len(elements):
            return "messages", message, max(0, len(elements[message].pieces) - 1)
    return None


def _mark(place: tuple[str, int, int], value: Mapping[str, Any]) -> CacheMark:
    section, number, block = place
    path = f"{section}[{number}]" if section != "messages" else f"messages[{number}].content[{block}]"
    return CacheMark(path, text(value.get("ttl")) or "5m", text(value.get("scope")))
