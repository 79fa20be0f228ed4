"""The client's own log of its requests (2.1.3xx): which messages each one held, as hashes, and what else it carried.

A request is told as its difference from an earlier one. Messages that the transcript does not hold in the same form
stand in the log themselves; the others have to be found among what we make of the transcript.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sessions.context.engine.digest import canonical, full_hash, spoken
from sessions.context.engine.rendering.array import Element, Piece
from sessions.linking.engine.raw_fields import mapping, text
from sessions.transcripts.engine.messages import (
    Block,
    Message,
    MessageKind,
    Role,
    text_block,
)

REQUEST, MESSAGE, SHAPE = "api-request", "api-request-blob", "api-request-shape"
_MAIN = ("sdk", "repl_main_thread", "agent:")
"""What a request was made for, where it answers in the transcript. Others are the client's own errands."""


@dataclass(frozen=True, slots=True)
class Logged:
    """A request of the log."""

    id: str
    hashes: tuple[str, ...] | None
    """Of its messages; None if the request that it builds on is not known."""
    params: Mapping[str, Any]
    shape: str
    marks: tuple[Mapping[str, Any], ...]
    position: int


class Lookup(Protocol):
    """Finds the records of the log's messages and shapes by their hashes; those that there are."""

    def __call__(self, hashes: Collection[str]) -> Iterable[Mapping[str, Any]]: ...


@dataclass(slots=True)
class RequestLog:
    lookup: Lookup
    last: Logged | None = None
    """The latest request of the conversation itself."""
    _messages: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _shapes: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)
    _requests: dict[str, Logged] = field(default_factory=dict)
    _previous: tuple[tuple[str, ...], tuple[Element, ...]] = ((), ())
    """The hashes of the request that was resolved last, and what they stand for."""

    def feed(self, record: Mapping[str, Any], position: int) -> None:
        name, tail = text(record.get("id")), record.get("tail")
        keep = record.get("keep")
        former = self._requests.get(text(record.get("base")))
        base = former.hashes if former is not None else None if record.get("base") else ()
        hashes = None
        if base is not None and isinstance(tail, list) and isinstance(keep, int) and 0 <= keep <= len(base):
            hashes = (*base[:keep], *(text(one) for one in tail))
        marks = record.get("cacheControl")
        logged = self._requests[name] = Logged(
            name,
            hashes,
            mapping(record.get("params")),
            text(record.get("shapeHash")),
            tuple(mapping(one) for one in marks) if isinstance(marks, list) else (),
            position,
        )
        if text(record.get("querySource")).startswith(_MAIN):
            self.last = logged

    def named(self, request: str) -> Logged | None:
        """The request of this name: an answer tells the one that it came from."""
        return self._requests.get(request)

    def shape(self, name: str) -> Mapping[str, Any] | None:
        self._look_up([name])
        return self._shapes.get(name)

    def _look_up(self, hashes: Iterable[str]) -> None:
        wanted = {one for one in hashes if one and one not in self._asked}
        self._asked |= wanted
        for record in self.lookup(wanted) if wanted else ():
            if record.get("type") == MESSAGE:
                self._messages[text(record.get("hash"))] = mapping(record.get("message"))
            elif record.get("type") == SHAPE:
                self._shapes[text(record.get("shapeHash"))] = mapping(record.get("shape"))

    def resolve(self, hashes: Sequence[str], made: Sequence[Element]) -> tuple[Element, ...] | None:
        """The elements that were sent. `made`: those that we make of the transcript. None if one cannot be found.

        What a request has in common with the one before was found then. The rest is looked for anew, because the same
        words may stand in several records.
        """
        before, known = self._previous
        same = next((at for at, (one, other) in enumerate(zip(hashes, before, strict=False)) if one != other), None)
        elements = list(known[: min(len(hashes), len(before)) if same is None else same])
        new = hashes[len(elements) :]
        self._look_up(new)
        found = _find({one for one in new if one not in self._messages}, made)
        origins = origins_of(made) if any(one in self._messages for one in new) else {}
        for one in new:
            if one in self._messages:
                elements.append(element_of(self._messages[one], origins))
            elif (element := found.get(one) or _beside(elements, made)) is not None:
                elements.append(element)
            else:
                return None
        self._previous = (tuple(hashes), tuple(elements))
        return self._previous[1]


def _find(wanted: set[str], made: Sequence[Element]) -> dict[str, Element]:
    """By the hash of what we made, the newest first."""
    found: dict[str, Element] = {}
    for element in reversed(made):
        if len(found) == len(wanted):
            break
        found.update((one, element) for one in _hashes(element) if one in wanted and one not in found)
    return found


def _beside(before: Sequence[Element], made: Sequence[Element]) -> Element | None:
    """By its place: the element that we made after the last one that is known.

    Files that were moved, or cleaned of private words, no longer have the hashes that the log names.
    """
    at = _last_index(made, before[-1]) if before else -1
    if not 0 <= at < len(made) - 1:
        return None
    found = made[at + 1]
    return Element(found.role, tuple(Piece(piece.block, piece.message, exact=False) for piece in found.pieces))


def _last_index(made: Sequence[Element], element: Element) -> int:
    wanted = _prints(element)
    for at in range(len(made) - 1, -1, -1):
        if made[at] is element or (made[at].role == element.role and _prints(made[at]) == wanted):
            return at
    return -1


def _prints(element: Element) -> list[tuple[str, str]]:
    return [_print(piece.block) for piece in element.pieces]


def _print(block: Block) -> tuple[str, str]:
    """What tells a block from others, and stays the same however the client wraps it."""
    kind = text(block.get("type"))
    name = text(block.get("id")) or text(block.get("tool_use_id"))
    return (kind, name or (text(block.get("text")) if kind == "text" else spoken(block)).strip())


def _hashes(element: Element) -> Iterable[str]:
    content = [dict(piece.block) for piece in element.pieces]
    yield full_hash(canonical({"role": element.role, "content": content}))
    if len(content) == 1 and content[0].get("type") == "text":
        yield full_hash(canonical({"role": element.role, "content": content[0].get("text")}))


def origins_of(made: Sequence[Element]) -> dict[tuple[str, str], Message]:
    return {_print(piece.block): piece.message for element in made for piece in element.pieces}


def element_of(message: Mapping[str, Any], origins: Mapping[tuple[str, str], Message]) -> Element:
    content = message.get("content")
    blocks: list[Block] = [text_block(content)] if isinstance(content, str) else []
    if isinstance(content, list):
        blocks = [block for block in content if isinstance(block, Mapping)]
    given = message.get("role")
    role: Role = "assistant" if given == "assistant" else "system" if given == "system" else "user"
    return Element(role, tuple(Piece(block, _origin(block, role, origins)) for block in blocks))


def _origin(block: Block, role: Role, origins: Mapping[tuple[str, str], Message]) -> Message:
    found = origins.get(_print(block))
    return found if found is not None else Message(role, (block,), MessageKind.INJECTED)
