"""The client's own log of its requests (from 2.1.3xx on): the hashes of their messages, and their parameters.

A request is logged as its difference from an earlier one. The log holds messages that the transcript does not have in
the same form; the others are found among the elements that were rebuilt from the transcript.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sessions.context.engine.digest import canonical, full_hash, hashed_text
from sessions.context.engine.rendering.array import Element, Piece
from sessions.linking.engine.raw_fields import mapping, text
from sessions.transcripts.engine.messages import Block, Message, MessageKind, Role, text_block

REQUEST, MESSAGE, SHAPE = "api-request", "api-request-blob", "api-request-shape"
_CONVERSATION_SOURCES = ("sdk", "repl_main_thread", "agent:")
"""Query sources of requests whose answers are in the transcript. Other requests are for the client itself."""


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """A request of the log."""

    id: str
    hashes: tuple[str, ...] | None
    """The hashes of its messages; None if the request that it builds on is not known."""
    params: Mapping[str, Any]
    shape: str
    marks: tuple[Mapping[str, Any], ...]
    position: int
    source: str = ""
    """Who asked: the main thread, a sub-agent, or the client itself."""


class LogLookup(Protocol):
    """Finds records of messages and shapes in the log by their hashes."""

    def __call__(self, hashes: Collection[str]) -> Iterable[Mapping[str, Any]]: ...


@dataclass(slots=True)
class RequestLog:
    lookup: LogLookup
    last: LoggedRequest | None = None
    """The latest request of the main conversation."""
    _messages: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _shapes: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _looked_up: set[str] = field(default_factory=set)
    _requests: dict[str, LoggedRequest] = field(default_factory=dict)
    _last_resolved: tuple[tuple[str, ...], tuple[Element, ...]] = ((), ())
    """The hashes of the request that was resolved last, and their elements."""

    def feed(self, record: Mapping[str, Any], position: int) -> None:
        name, tail = text(record.get("id")), record.get("tail")
        keep = record.get("keep")
        former = self._requests.get(text(record.get("base")))
        base = former.hashes if former is not None else None if record.get("base") else ()
        hashes = None
        if base is not None and isinstance(tail, list) and isinstance(keep, int) and 0 <= keep <= len(base):
            hashes = (*base[:keep], *(text(value) for value in tail))
        marks = record.get("cacheControl")
        logged = self._requests[name] = LoggedRequest(
            name,
            hashes,
            mapping(record.get("params")),
            text(record.get("shapeHash")),
            tuple(mapping(value) for value in marks) if isinstance(marks, list) else (),
            position,
            text(record.get("querySource")),
        )
        if logged.source.startswith(_CONVERSATION_SOURCES):
            self.last = logged

    def find(self, request: str) -> LoggedRequest | None:
        """The request with this id, which an answer names as its `requestRef`."""
        return self._requests.get(request)

    def shape(self, name: str) -> Mapping[str, Any] | None:
        self._look_up([name])
        return self._shapes.get(name)

    def _look_up(self, hashes: Iterable[str]) -> None:
        new_hashes = {name for name in hashes if name and name not in self._looked_up}
        self._looked_up |= new_hashes
        for record in self.lookup(new_hashes) if new_hashes else ():
            if record.get("type") == MESSAGE:
                self._messages[text(record.get("hash"))] = mapping(record.get("message"))
            elif record.get("type") == SHAPE:
                self._shapes[text(record.get("shapeHash"))] = mapping(record.get("shape"))

    def resolve(self, hashes: Sequence[str], reconstructed: Sequence[Element]) -> tuple[Element, ...] | None:
        """The elements that were sent; None if one cannot be found. `reconstructed`: those rebuilt from the transcript.

        What a request shares with the one before is reused. The rest is looked up again, because several records may
        hold the same text.
        """
        before, known_elements = self._last_resolved
        same = next(
            (index for index, (name, other) in enumerate(zip(hashes, before, strict=False)) if name != other), None
        )
        elements = list(known_elements[: min(len(hashes), len(before)) if same is None else same])
        new = hashes[len(elements) :]
        self._look_up(new)
        by_hash = _find_by_hash({name for name in new if name not in self._messages}, reconstructed)
        origins = origins_of(reconstructed) if any(name in self._messages for name in new) else {}
        for name in new:
            if name in self._messages:
                elements.append(element_of(self._messages[name], origins))
            elif (element := by_hash.get(name) or _find_by_position(elements, reconstructed)) is not None:
                elements.append(element)
            else:
                return None
        self._last_resolved = (tuple(hashes), tuple(elements))
        return self._last_resolved[1]


def _find_by_hash(hashes: set[str], reconstructed: Sequence[Element]) -> dict[str, Element]:
    """Find elements by the hash of what was rebuilt, the newest first."""
    by_hash: dict[str, Element] = {}
    for element in reversed(reconstructed):
        if len(by_hash) == len(hashes):
            break
        by_hash.update((name, element) for name in _hashes(element) if name in hashes and name not in by_hash)
    return by_hash


def _find_by_position(before: Sequence[Element], reconstructed: Sequence[Element]) -> Element | None:
    """Find an element by its position: the one that was rebuilt after the last known one.

    Files that were moved, or cleaned of private words, no longer have the hashes that the log names.
    """
    index = _last_index(reconstructed, before[-1]) if before else -1
    if not 0 <= index < len(reconstructed) - 1:
        return None
    element = reconstructed[index + 1]
    return Element(element.role, tuple(Piece(piece.block, piece.message, exact=False) for piece in element.pieces))


def _last_index(elements: Sequence[Element], element: Element) -> int:
    identities = _identities(element)
    for index in range(len(elements) - 1, -1, -1):
        if elements[index] is element or (
            elements[index].role == element.role and _identities(elements[index]) == identities
        ):
            return index
    return -1


def _identities(element: Element) -> list[tuple[str, str]]:
    return [_identity(piece.block) for piece in element.pieces]


def _identity(block: Block) -> tuple[str, str]:
    """What identifies a block, however the client wraps it."""
    kind = text(block.get("type"))
    name = text(block.get("id")) or text(block.get("tool_use_id"))
    return (kind, name or (text(block.get("text")) if kind == "text" else hashed_text(block)).strip())


def _hashes(element: Element) -> Iterable[str]:
    content = [dict(piece.block) for piece in element.pieces]
    yield full_hash(canonical({"role": element.role, "content": content}))
    if len(content) == 1 and content[0].get("type") == "text":
        yield full_hash(canonical({"role": element.role, "content": content[0].get("text")}))


def origins_of(elements: Sequence[Element]) -> dict[tuple[str, str], Message]:
    return {_identity(piece.block): piece.message for element in elements for piece in element.pieces}


def element_of(message: Mapping[str, Any], origins: Mapping[tuple[str, str], Message]) -> Element:
    content = message.get("content")
    blocks: list[Block] = [text_block(content)] if isinstance(content, str) else []
    if isinstance(content, list):
        blocks = [block for block in content if isinstance(block, Mapping)]
    sent_role = message.get("role")
    role: Role = "assistant" if sent_role == "assistant" else "system" if sent_role == "system" else "user"
    return Element(role, tuple(Piece(block, _origin(block, role, origins)) for block in blocks))


def _origin(block: Block, role: Role, origins: Mapping[tuple[str, str], Message]) -> Message:
    origin = origins.get(_identity(block))
    return origin if origin is not None else Message(role, (block,), MessageKind.INJECTED)
