"""What the model was sent in one request, and how certain that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec import Struct

from sessions.capture.engine import SentRequest
from sessions.context.engine.certainty import Exactness, RequestSetup, list_unknowns
from sessions.context.engine.chain.segments import Segment
from sessions.context.engine.client_versions import unrecorded
from sessions.context.engine.rendering.array import Element, join_elements
from sessions.context.engine.rendering.overlays import CLEARED, Overlays
from sessions.context.engine.rendering.records import RenderedRecord
from sessions.context.engine.request_log import LoggedRequest
from sessions.context.engine.tally import Tally, system_tally, tally_of
from sessions.linking.engine.raw_fields import text
from sessions.transcripts.engine.messages import Message, MessageKind


class ContextPart(Struct, gc=False, eq=False):
    """What one segment of the chain contributes to a context."""

    segment: Segment
    records: tuple[RenderedRecord, ...]
    elements: tuple[Element, ...]
    previous: ContextPart | None = None
    """The part before it."""
    running_total: Tally | None = None

    @property
    def total(self) -> Tally:
        """The tokens up to the end of this part. Each part is counted once for all contexts, and only on demand."""
        uncounted: list[ContextPart] = []
        part: ContextPart | None = self
        while part is not None and part.running_total is None:
            uncounted.append(part)
            part = part.previous
        total = Tally() if part is None or part.running_total is None else part.running_total
        for part in reversed(uncounted):
            total = part.running_total = total.plus(tally_of(part.elements))
        return total


@dataclass(frozen=True)
class Context:
    request: str
    """The id of the answer; empty if nothing was sent yet."""
    position: int
    """The position of the answer's first record, or where it would be. Only records before it count."""
    model: str
    parts: tuple[ContextPart, ...]
    logged: LoggedRequest | None
    recorded: tuple[Element, ...] | None
    setup: RequestSetup
    """The system prompt, tools and parameters, as far as records hold them."""
    overlays: Overlays
    """The overlays of all rows that were fed; each has the position at which it was written."""
    start: int = -1
    """The position of the boundary that the context starts at; -1 if it starts where the session does."""
    has_missing_parent: bool = False
    """The parent of a record is not in the file."""
    captured: SentRequest | None = None
    """The request as it was sent, if it was captured; then the log is not needed."""
    may_be_resumed: bool = False
    """The client may have resumed the session, and lost some of it."""
    is_copied: bool = False
    """The request was made in another session, of which this one is a fork."""
    restarted: int = -1
    """The newest prompt to a client that had read the session from the file; -1 if no sign of a restart is there."""
    version: str = ""
    """The client that made the request; empty if no record says."""
    has_ties: bool = False
    """Attachments that the client orders by their times have the same time."""

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """The array as it was sent."""
        if self.recorded is not None:
            return self.recorded
        return join_elements(part.elements for part in self.parts)

    @property
    def exactness(self) -> Exactness:
        return Exactness.RECORDED if self.recorded is not None else Exactness.RECONSTRUCTED

    @cached_property
    def tokens(self) -> Tally:
        return self._message_tokens.plus(system_tally(self.setup.system, self.setup.tools))

    @property
    def _message_tokens(self) -> Tally:
        if self.recorded is not None:
            return tally_of(self.recorded)
        return self.parts[-1].total if self.parts else Tally()

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The records that the context is made of, in order: the input of a compaction."""
        return tuple(record.message for part in self.parts for record in part.records)

    @cached_property
    def positions(self) -> frozenset[int]:
        """The positions of the records that the model saw something of."""
        positions = (message.position for message in self.messages if message.content)
        return frozenset(position for position in positions if position is not None)

    @cached_property
    def removed_results(self) -> Mapping[int, tuple[int, bool]]:
        """Position of a result whose text a record removed -> the position of that record, and whether it cleared the
        text (True) or moved it to a file (False)."""
        removed: dict[int, tuple[int, bool]] = {}
        if not self.overlays.replaced and not self.overlays.cleared:
            return removed
        for message in self.messages:
            for block in message.content if message.kind is MessageKind.RESULT else ():
                tool, position = text(block.get("tool_use_id")), message.position
                cleared = self.overlays.cleared.get(tool)
                by = self.overlays.replaced[tool][1] if tool in self.overlays.replaced else cleared
                if by is not None and position is not None and by < self.position:
                    removed[position] = (by, tool not in self.overlays.replaced)
        return removed

    @cached_property
    def emptied_results(self) -> frozenset[int]:
        """The positions of results that were sent without their text, whether a record says so or not."""
        pieces = (piece for element in self.elements for piece in element.pieces)
        positions = (piece.message.position for piece in pieces if piece.block.get("content") == CLEARED)
        return frozenset(position for position in positions if position is not None)

    @property
    def nearest_versions(self) -> tuple[str, ...]:
        """The versions by whose rules it was made, if its own was never recorded."""
        return unrecorded(self.version)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """What cannot be known of this context, as sentences."""
        inexact = sum(not piece.exact for element in self.elements for piece in element.pieces)
        return list_unknowns(
            self.exactness,
            self.setup,
            inexact,
            has_missing_parent=self.has_missing_parent,
            may_be_resumed=self.may_be_resumed,
            is_copied=self.is_copied,
            has_ties=self.has_ties,
            lacks_prompt=bool(self.request and self.start < 0 and [e.role for e in self.elements[:1]] != ["user"]),
            nearest_versions=(self.version, self.nearest_versions),
            ends_with_answer=bool(self.request and self.elements and self.elements[-1].role == "assistant"),
        )
