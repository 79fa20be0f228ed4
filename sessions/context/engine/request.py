"""What the model was sent in one request, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec import Struct

from sessions.capture.engine import Sent
from sessions.context.engine.certainty import Exactness, Given, unknown_of
from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.rendering.array import Element, in_turn
from sessions.context.engine.rendering.overlays import CLEARED, Overlays
from sessions.context.engine.rendering.records import Said
from sessions.context.engine.request_log import Logged
from sessions.context.engine.tally import Tally, system_tally, tally_of
from sessions.linking.engine.raw_fields import text
from sessions.transcripts.engine.messages import Message, MessageKind


class Part(Struct, gc=False, eq=False):
    """What one segment of the way contributes."""

    segment: Segment
    said: tuple[Said, ...]
    elements: tuple[Element, ...]
    before: Part | None = None
    """The part that it follows."""
    counted: Tally | None = None

    @property
    def total(self) -> Tally:
        """The tokens up to its end. Each part is counted once, for all contexts that hold it, if somebody asks."""
        uncounted: list[Part] = []
        part: Part | None = self
        while part is not None and part.counted is None:
            uncounted.append(part)
            part = part.before
        total = Tally() if part is None or part.counted is None else part.counted
        for part in reversed(uncounted):
            total = part.counted = total.plus(tally_of(part.elements))
        return total


@dataclass(frozen=True)
class Context:
    request: str
    """The id of the answer; empty for what would be sent next."""
    position: int
    """Of the answer's first record, or where it would stand. Only what stands before it counts."""
    model: str
    parts: tuple[Part, ...]
    logged: Logged | None
    recorded: tuple[Element, ...] | None
    given: Given
    """What is sent beside the messages, as far as records hold it."""
    overlays: Overlays
    """As they are at the end of what was fed: each says where it was written."""
    start: int = -1
    """The position of the boundary that the context starts at; -1 if it starts where the session does."""
    broken_off: bool = False
    """A record follows one that is not in the file."""
    captured: Sent | None = None
    """The request as it went over the wire; then the log's word for it is not needed."""
    reread: bool = False
    """The client may have read the session again, and then has less of it."""
    copied: bool = False
    """The request was made in another session, which this one was copied from."""

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """The array as it was sent."""
        if self.recorded is not None:
            return self.recorded
        return in_turn(part.elements for part in self.parts)

    @property
    def exactness(self) -> Exactness:
        return Exactness.RECORDED if self.recorded is not None else Exactness.RECONSTRUCTED

    @cached_property
    def tokens(self) -> Tally:
        return self._made.plus(system_tally(self.given.system, self.given.tools))

    @property
    def _made(self) -> Tally:
        if self.recorded is not None:
            return tally_of(self.recorded)
        return self.parts[-1].total if self.parts else Tally()

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The records that it is made of, in its order: what a mechanism takes."""
        return tuple(one.message for part in self.parts for one in part.said)

    @cached_property
    def positions(self) -> frozenset[int]:
        """Of the records that the model saw something of."""
        found = (message.position for message in self.messages if message.content)
        return frozenset(position for position in found if position is not None)

    @cached_property
    def taken(self) -> Mapping[int, tuple[int, bool]]:
        """Position of a result whose text a record took away -> the position of that record, and whether it cleared
        it, or put it into a file."""
        found: dict[int, tuple[int, bool]] = {}
        if not self.overlays.replaced and not self.overlays.cleared:
            return found
        for message in self.messages:
            for block in message.content if message.kind is MessageKind.RESULT else ():
                tool, position = text(block.get("tool_use_id")), message.position
                cleared = self.overlays.cleared.get(tool)
                by = self.overlays.replaced[tool][1] if tool in self.overlays.replaced else cleared
                if by is not None and position is not None and by < self.position:
                    found[position] = (by, tool not in self.overlays.replaced)
        return found

    @cached_property
    def emptied(self) -> frozenset[int]:
        """Positions of results that were sent without their text, whether a record says so or not."""
        pieces = (piece for element in self.elements for piece in element.pieces)
        found = (piece.message.position for piece in pieces if piece.block.get("content") == CLEARED)
        return frozenset(position for position in found if position is not None)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """What cannot be known of it, as sentences."""
        inexact = sum(not piece.exact for element in self.elements for piece in element.pieces)
        return unknown_of(
            self.exactness,
            self.given,
            inexact,
            broken_off=self.broken_off,
            reread=self.reread,
            copied=self.copied,
        )
