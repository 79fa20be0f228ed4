"""Which rows a context is made of: the chain from a row up to the last boundary, and what belongs to it from the side.

Rows are fed in file order, and contexts are asked for in between. What the previous context had in common with the next
is kept, so that all contexts of a session cost one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sessions.context.engine.chain.mid_turn_boundary import Seam
from sessions.context.engine.chain.missing_parents import Gaps
from sessions.context.engine.chain.owned import Owned
from sessions.context.engine.chain.rereads import Rereads
from sessions.context.engine.chain.segments import Boundary, Segment, is_boundary
from sessions.context.engine.rendering.overlays import Overlays
from sessions.linking.engine.raw_fields import key, keys, mapping
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_SUMMARY = int(Flag.SUMMARY)
_RESULT = int(Flag.RESULT)
_TALK = frozenset({"assistant", "user"})
_TURN_OVER = "stop_hook_summary"
"""What hooks did when the turn was over."""


@dataclass(slots=True)
class Walk:
    rows: dict[int, LinkRow] = field(default_factory=dict)
    """By position."""
    overlays: Overlays = field(default_factory=Overlays)
    awaited: int | None = None
    """The summary that the newest boundary names, until it is fed."""
    rereads: Rereads = field(default_factory=Rereads)
    _at: dict[int, int] = field(default_factory=dict)
    _up: dict[int, int | None] = field(default_factory=dict)
    _notes: dict[int, list[int]] = field(default_factory=dict)
    """What hangs on a row and is no part of the conversation itself: hook output and the like."""
    _kept: dict[int, Boundary] = field(default_factory=dict)
    _anchors: dict[int, Boundary] = field(default_factory=dict)
    _unsummed: int | None = None
    """The newest boundary that keeps what stands before it, until its summary is fed."""
    _special: set[int] = field(default_factory=set)
    """Rows where the way up does not simply lead to the parent: boundaries, summaries, anchors, kept rows."""
    _segments: list[Segment] = field(default_factory=list)
    _places: dict[int, int] = field(default_factory=dict)
    """Answer -> its segment."""
    _depth: dict[int, int] = field(default_factory=dict)
    """uuid of a row on the chain -> its segment."""
    _stale: set[int] = field(default_factory=set)
    """Answers whose segment misses a row that has come since."""
    _owned: Owned = field(init=False)
    _seam: Seam = field(default_factory=Seam)
    _sewn: list[int] = field(default_factory=list)
    """Rows that follow another one than they hang on: answers that were made of a summary, notices written late."""
    _gaps: Gaps = field(default_factory=Gaps)
    _gap: int | None = None
    """What the last chain was asked to go on from, if that has not been fed."""
    _touched: int = 0
    """The first segment that is not as it was when it was last asked for."""

    def __post_init__(self) -> None:
        self._owned = Owned(self.rows, self._at, self._stale)

    def feed(self, row: LinkRow) -> None:
        position, uuid, kind = row.position, row.uuid, row.type
        self.rows[position] = row
        if self.rereads.feed(row) and self._sewn:
            self._unsew()
        if row.extra is not None and self.overlays.note(row):
            self._forget()
        if uuid is None:
            return
        if uuid == self.awaited:
            self.awaited = None
        parent = row.parent
        if kind in _TALK:
            parent = self._seam.feed(row)
            if row.flags & _SUMMARY and self._unsummed is not None:
                parent = row.parent if self._follows_boundary(row) else self._unsummed
                self._unsummed = None
        elif row.detail == _TURN_OVER:
            parent = self._after_turn(row)
        if parent != row.parent:
            self._sewn.append(uuid)
        ups = self._up
        again = uuid in ups
        if not again:
            self._at[uuid] = position
            if self._gaps.feed(row, uuid, known=parent in ups):
                self._forget()
        elif ups[uuid] != parent:
            self._forget()  # written again in another place
        ups[uuid] = parent
        if again and kind in _TALK:
            return  # it is sent once
        if kind == "assistant":
            if self._owned.feed_answer(row):
                self._forget()
        elif kind == "user":
            if row.flags & _RESULT and row.tool is not None:
                self._owned.feed_result(row, row.tool)
            elif row.flags & _SUMMARY:
                self._special.add(uuid)
        else:
            if row.parent is not None:
                self._notes.setdefault(row.parent, []).append(position)
            if is_boundary(row):
                self._special.add(uuid)
                self._feed_boundary(row)

    def _after_turn(self, notice: LinkRow) -> int | None:
        """What a notice of the end of a turn follows. Where a hook had the turn go on, it is written late, and hangs on
        what the hook said: all that came of it would seem to be given up."""
        parent, latest = notice.parent, self._seam.latest
        if parent is None or latest is None or parent == latest or parent not in self._at:
            return parent
        link: int | None = latest
        while link is not None and self._at.get(link, -1) > self._at[parent]:
            link = self._up[link]
        return latest if link == parent else parent

    def _unsew(self) -> None:
        """Who reads the session again goes by what the rows hang on, past the boundary."""
        self._up.update((link, self.rows[self._at[link]].parent) for link in self._sewn)
        self._sewn.clear()
        self._forget()

    def _above(self, link: int) -> int | None:
        """The parent; or, where the file does not hold it, the row before."""
        up = self._up[link]
        return up if up is None or up in self._at else self._gaps.before(link)

    def _feed_boundary(self, row: LinkRow) -> None:
        metadata = mapping(mapping(row.extra).get("compactMetadata"))
        segment, messages = mapping(metadata.get("preservedSegment")), mapping(metadata.get("preservedMessages"))
        anchor = key(messages.get("anchorUuid")) or key(segment.get("anchorUuid"))
        named = keys(messages.get("uuids")) or keys(messages.get("allUuids"))
        kept = tuple(one for one in named if one in self._at) or self._between(segment)
        if anchor is None or not kept:
            self._seam.cut(row)
            return
        if anchor not in self._at:
            self.awaited = anchor
        if anchor == row.uuid:
            self._unsummed = anchor
        boundary = Boundary(row.position, anchor, kept)
        self._anchors[anchor] = boundary
        self._kept.update(dict.fromkeys(kept, boundary))
        self._special.update(kept, (anchor,))
        self._forget()

    def _between(self, segment: object) -> tuple[int, ...]:
        """The rows from head to tail, where no list names them."""
        ends = mapping(segment)
        head, link = key(ends.get("headUuid")), key(ends.get("tailUuid"))
        found: dict[int, None] = {}
        while link is not None and link in self._at and link not in found:
            if link in self._anchors:
                found.update(dict.fromkeys(reversed(self._anchors[link].kept)))
            found[link] = None
            if link == head:
                return tuple(reversed(found))
            link = self._up[link]
        return ()

    def segments(self, link: int | None, child: int) -> tuple[Sequence[Segment], int]:
        """The context of a row at position `child` whose parent is `link`, and how much of it is as it was last time.

        Whoever keeps it copies it: the next call goes on with the same list.
        """
        new: dict[int, None] = {}
        shared = -1
        self._gap = None if link is None or link in self._at else link
        if self._gap is not None:
            link = self._gaps.latest
        # Most contexts go on where the one before ended, over a few rows that are nothing special.
        while link is not None and link not in self._special and link not in new and link in self._at:
            depth = self._depth.get(link, -1)
            if depth >= 0:
                shared = depth
                self._cut(depth, link)
                break
            new[link] = None
            child = min(child, self._at[link])
            link = self._above(link)
        for one in self._chain(link, child) if shared < 0 else ():
            if one in new:
                break  # parents that go in a ring
            depth = self._depth.get(one, -1)
            if depth >= 0 and not self._passes_kept(one):
                shared = depth
                self._cut(depth, one)
                break
            new[one] = None
        if shared < 0:
            self._forget()
        self._own(len(self._segments) - 1)
        self._extend(reversed(new))
        self._refresh()
        same, self._touched = self._touched, len(self._segments)
        return self._segments, same

    def knows(self, link: int) -> bool:
        return link in self._at

    def misses(self, answer: LinkRow) -> bool:
        """Is something not fed yet that an answer stands on? One that is written again stands where it stood."""
        if answer.uuid in self._at or (answer.parent in self._at and not self._seam.open and self.awaited is None):
            return False
        parent = self._seam.parent_of(answer)
        return parent != answer.parent or self.awaited is not None or (parent is not None and parent not in self._at)

    def parent_of(self, answer: LinkRow) -> int | None:
        """What an answer follows that is not fed yet."""
        return self._seam.parent_of(answer)

    def _passes_kept(self, link: int) -> bool:
        """Whether the way up leads differently from here than for the rows that came before."""
        boundary = self._kept.get(link) or self._anchors.get(link)
        return boundary is not None and self._segments[0].links[:1] != [self.rows[boundary.at].uuid]

    def _chain(self, link: int | None, child: int) -> Iterator[int]:
        """The uuids from a row up to the boundary, or to where the file begins. Kept rows stand behind the anchor."""
        came: int | None = None
        while link is not None and link in self._at:
            boundary = self._kept.get(link)
            if boundary is not None and child > boundary.at:
                # The row hangs on a kept one: all of them come before it, then the summary.
                yield from reversed(boundary.kept)
                came, link, child = boundary.kept[0], boundary.anchor, boundary.at
                continue
            boundary = self._anchors.get(link)
            if boundary is not None and came not in boundary.kept and child > boundary.at:
                yield from reversed(boundary.kept)
                came = boundary.kept[0]
            yield link
            row = self.rows[self._at[link]]
            if is_boundary(row) or (row.flags & _SUMMARY and not self._follows_boundary(row)):
                return
            child = min(child, row.position)
            came, link = link, self._above(link)

    def _follows_boundary(self, row: LinkRow) -> bool:
        """Old versions wrote a summary without a boundary: then nothing before it is sent. Newer ones may put notes
        between the two, and a fork writes what was kept there."""
        up = row.parent if row.uuid is None else self._up.get(row.uuid, row.parent)
        known = (self._at[one] for one in self._way_up(up) if one in self._at)
        return any(is_boundary(self.rows[position]) for position in known)

    def _way_up(self, link: int | None) -> Iterator[int]:
        """From a row over its parents, up to the first that was not fed."""
        seen: set[int] = set()
        while link is not None and link not in seen:
            yield link
            seen.add(link)
            link = self._up.get(link)

    def start(self) -> int:
        """The position of what the last context starts at, if that is a boundary or an old summary; else -1."""
        if not self._segments or not self._segments[0].links:
            return -1
        row = self.rows[self._at[self._segments[0].links[0]]]
        return row.position if is_boundary(row) or row.flags & _SUMMARY else -1

    def missing(self, link: int | None, child: int) -> tuple[int, ...]:
        """Parents that were not fed: that of the row itself, which may come after it, and the next one on its chain."""
        self.segments(link, child)
        return tuple(one for one in (self._gap, self._broken_off(), self._before_summary()) if one is not None)

    def _before_summary(self) -> int | None:
        """What the summary hangs on that the context starts at: a boundary may be there."""
        first = self._segments[0].links[0] if self._segments and self._segments[0].links else None
        if first is None or not self.rows[self._at[first]].flags & _SUMMARY:
            return None
        return next((up for up in self._way_up(self._up[first]) if up not in self._at), None)

    def broken_off(self) -> int | None:
        """A parent on the chain that was walked last which was not fed."""
        return self._broken_off() if self._gap is None else self._gap

    def _broken_off(self) -> int | None:
        if not self._gaps.rows:
            return None
        first = self._segments[0].links[0] if self._segments and self.start() >= 0 else None
        # A kept row stands behind the summary, whatever it followed once.
        found = (one for one in self._gaps.rows if one in self._depth and one != first and one not in self._kept)
        return next((up for one in found if (up := self._up[one]) is not None and up not in self._at), None)

    def _forget(self) -> None:
        self._segments.clear()
        self._places.clear()
        self._depth.clear()
        self._stale.clear()
        self._touched = 0

    def _cut(self, depth: int, link: int) -> None:
        """Back to where `link` was the end of the chain."""
        last = self._segments[depth]
        if depth == len(self._segments) - 1 and last.links[-1] == link:
            return
        for segment in self._segments[depth:]:
            for one in segment.links:
                del self._depth[one]
            if segment.message is not None:
                self._places.pop(segment.message, None)
        del self._segments[depth:]
        self._touched = min(self._touched, depth)
        self._extend(last.links[: last.links.index(link) + 1])

    def _own(self, at: int) -> None:
        """A segment that goes on is written anew: whoever was given it keeps it as it was."""
        if at >= 0:
            last = self._segments[at]
            self._segments[at] = Segment(last.message, last.answer, last.results, list(last.rest), list(last.links))

    def _extend(self, links: Iterable[int]) -> None:
        """Go on from the end of the chain with these rows."""
        segments = self._segments
        for link in links:
            row = self.rows[self._at[link]]
            message = self._owned.message_of(row)
            if not segments or (row.type == "assistant" and message is not None and message not in self._places):
                segments.append(Segment(message if row.type == "assistant" else None, [], [], [], []))
                if message is not None and row.type == "assistant":
                    self._places[message] = len(segments) - 1
            last = segments[-1]
            self._touched = min(self._touched, len(segments) - 1)
            # What belongs to an answer stands with it, wherever in the file it came.
            place = self._places.get(message) if message is not None else None
            if place is None:
                last.rest.append(row.position)
            elif message is not None:
                self._stale.add(message)
            last.links.append(link)
            self._depth[link] = len(segments) - 1

    def _refresh(self) -> None:
        """Pull in what the chain itself does not pass: further blocks, parallel results, and what hangs on those."""
        for message in self._stale:
            at = self._places.get(message)
            if at is None:
                continue
            old = self._segments[at]
            answer, results = self._owned.positions(message, self.is_on_chain)
            rest = list(old.rest)
            for position in self._beside((*answer, *results)):
                if position not in rest:
                    rest.insert(next((i for i, other in enumerate(rest) if other > position), len(rest)), position)
            self._segments[at] = Segment(message, answer, results, rest, old.links)
            self._touched = min(self._touched, at)
        self._stale.clear()

    def is_on_chain(self, position: int) -> bool:
        """Does the way up that was asked for last lead through this row?"""
        return self.rows[position].uuid in self._depth

    def _beside(self, positions: Iterable[int]) -> list[int]:
        """Notes on rows that the chain does not pass, and notes on those."""
        found: list[int] = []
        uuids = (self.rows[position].uuid for position in positions)
        waiting = [uuid for uuid in uuids if uuid is not None and uuid not in self._depth]
        while waiting:
            for note in self._notes.get(waiting.pop(), ()):
                other = self.rows[note].uuid
                if other is not None and other not in self._depth and note not in found:
                    found.append(note)
                    waiting.append(other)
        return found
