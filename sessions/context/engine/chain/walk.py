"""Which rows a context is made of: the chain from a row up to the last boundary, and the rows off the chain that belong
to it.

Rows are fed in file order, and contexts are asked for in between. What one context shares with the next is reused, so
that all contexts of a session cost one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sessions.context.engine.chain.answer_rows import AnswerRows
from sessions.context.engine.chain.mid_turn_boundary import MidTurnBoundary
from sessions.context.engine.chain.missing_parents import MissingParents
from sessions.context.engine.chain.resume_signs import ResumeSigns
from sessions.context.engine.chain.segments import Boundary, Segment, is_boundary
from sessions.context.engine.chain.sorted_notes import end_of_notes
from sessions.context.engine.rendering.overlays import Overlays
from sessions.linking.engine.late_progress import LateProgress
from sessions.linking.engine.raw_fields import key, keys, mapping
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_SUMMARY, _RESULT = int(Flag.SUMMARY), int(Flag.RESULT)
_TALK = frozenset({"assistant", "user"})
_TURN_OVER = "stop_hook_summary"
"""The notice of what hooks did at the end of a turn."""


@dataclass(slots=True)
class Walk:
    rows: dict[int, LinkRow] = field(default_factory=dict)
    """By position."""
    overlays: Overlays = field(default_factory=Overlays)
    awaited: int | None = None
    """The summary that the newest boundary names, until it is fed."""
    resume_signs: ResumeSigns = field(default_factory=ResumeSigns)
    _positions: dict[int, int] = field(default_factory=dict)
    _parents: dict[int, int | None] = field(default_factory=dict)
    _notes: dict[int, list[int]] = field(default_factory=dict)
    """uuid -> rows with this parent that are no part of the conversation itself, such as the output of hooks."""
    _kept: dict[int, Boundary] = field(default_factory=dict)
    _anchors: dict[int, Boundary] = field(default_factory=dict)
    _unsummarised: int | None = None
    """The newest boundary that is its own anchor, until its summary is fed."""
    _branching: set[int] = field(default_factory=set)
    """Rows from which the chain does not simply lead to the parent: boundaries, summaries, anchors, kept rows."""
    _segments: list[Segment] = field(default_factory=list)
    _segment_of_answer: dict[int, int] = field(default_factory=dict)
    """Answer -> the index of its segment."""
    _segment_of_row: dict[int, int] = field(default_factory=dict)
    """uuid of a row on the chain -> the index of its segment."""
    _outdated: set[int] = field(default_factory=set)
    """Answers whose segment lacks a row that was fed since."""
    _answer_rows: AnswerRows = field(init=False)
    _mid_turn: MidTurnBoundary = field(default_factory=MidTurnBoundary)
    _late_progress: LateProgress = field(default_factory=LateProgress)
    _relinked: list[int] = field(default_factory=list)
    """Rows that follow another row than their parent: answers made from a summary, notices written late."""
    _missing_parents: MissingParents = field(default_factory=MissingParents)
    _missing_leaf: int | None = None
    """The row that the last chain should have started from, if it was not fed."""
    _first_changed: int = 0
    """The first segment that differs from the last call of `segments`."""

    def __post_init__(self) -> None:
        self._answer_rows = AnswerRows(self.rows, self._positions, self._outdated)

    def feed(self, row: LinkRow) -> None:
        position, uuid, kind = row.position, row.uuid, row.type
        self.rows[position] = row
        if self.resume_signs.feed(row) and self._relinked:
            self._restore_parents()
        if row.extra is not None and self.overlays.feed(row):
            self._reset()
        if uuid is None:
            return
        self.awaited = None if uuid == self.awaited else self.awaited
        latest = self._mid_turn.newest
        parent = self._late_progress.parent_of(row, latest)
        if kind in _TALK:
            above = self._mid_turn.feed(row)
            parent = above if above != row.parent else end_of_notes(parent, self.rows, self._positions, self._notes)
            if row.flags & _SUMMARY and self._unsummarised is not None:
                parent = row.parent if self._has_boundary_above(row) else self._unsummarised
                self._unsummarised = None
        elif row.detail == _TURN_OVER and parent == row.parent:
            parent = self._parent_of_turn_end(row)
        self._late_progress.feed(row, latest, parent)
        if parent != row.parent:
            self._relinked.append(uuid)
        ups = self._parents
        again = uuid in ups
        if not again:
            self._positions[uuid] = position
            if self._missing_parents.feed(row, uuid, parent_is_fed=parent in ups):
                self._reset()
        elif ups[uuid] != parent:
            self._reset()  # written again with another parent
        ups[uuid] = parent
        if again and kind in _TALK:
            return  # it is sent once
        if kind == "assistant":
            if self._answer_rows.feed_answer(row):
                self._reset()
        elif kind == "user":
            if row.flags & _RESULT and row.tool is not None:
                self._answer_rows.feed_result(row, row.tool)
            elif row.flags & _SUMMARY:
                self._branching.add(uuid)
        else:
            if row.parent is not None:
                self._notes.setdefault(row.parent, []).append(position)
            if is_boundary(row):
                self._branching.add(uuid)
                self._feed_boundary(row)

    def _parent_of_turn_end(self, notice: LinkRow) -> int | None:
        """What the notice of the end of a turn follows. If a Stop hook kept the turn going, the notice is written late
        with the hook's message as its parent (2.1.90, 2.1.197); the rest of the turn would seem to be abandoned."""
        parent, newest = notice.parent, self._mid_turn.newest
        latest = newest.uuid if newest is not None else None
        if parent is None or latest is None or parent == latest or parent not in self._positions:
            return parent
        link: int | None = latest
        while link is not None and self._positions.get(link, -1) > self._positions[parent]:
            link = self._parents[link]
        return latest if link == parent else parent

    def _restore_parents(self) -> None:
        """After a resume the recorded parents count (2.1.90, 2.1.197), but for what the resume itself put in order."""
        positions, stop = self._positions, self.resume_signs.stopped_at
        older = [link for link in self._relinked if positions[link] < stop]
        self._parents.update((link, self.rows[positions[link]].parent) for link in older)
        self._relinked = [link for link in self._relinked if positions[link] > stop]
        self._reset()

    def _find_parent(self, link: int) -> int | None:
        """The parent; or the row before, if the parent is not in the file."""
        up = self._parents[link]
        return up if up is None or up in self._positions else self._missing_parents.before(link)

    def _feed_boundary(self, row: LinkRow) -> None:
        metadata = mapping(mapping(row.extra).get("compactMetadata"))
        segment, messages = mapping(metadata.get("preservedSegment")), mapping(metadata.get("preservedMessages"))
        anchor = key(messages.get("anchorUuid")) or key(segment.get("anchorUuid"))
        named = keys(messages.get("uuids")) or keys(messages.get("allUuids"))
        kept_uuids = tuple(uuid for uuid in named if uuid in self._positions) or self._rows_between(segment)
        if anchor is None or not kept_uuids:
            self._mid_turn.feed_boundary(row)
            return
        if anchor not in self._positions:
            self.awaited = anchor
        if anchor == row.uuid:
            self._unsummarised = anchor
        boundary = Boundary(row.position, anchor, kept_uuids)
        self._anchors[anchor] = boundary
        self._kept.update(dict.fromkeys(kept_uuids, boundary))
        self._branching.update(kept_uuids, (anchor,))
        self._reset()

    def _rows_between(self, segment: object) -> tuple[int, ...]:
        """The kept rows from head to tail, if no list names them."""
        ends = mapping(segment)
        head, link = key(ends.get("headUuid")), key(ends.get("tailUuid"))
        rows: dict[int, None] = {}
        while link is not None and link in self._positions and link not in rows:
            if link in self._anchors:
                rows.update(dict.fromkeys(reversed(self._anchors[link].kept_uuids)))
            rows[link] = None
            if link == head:
                return tuple(reversed(rows))
            link = self._parents[link]
        return ()

    def segments(self, link: int | None, child: int) -> tuple[Sequence[Segment], int]:
        """The context of a row at position `child` whose parent is `link`, and how many segments are as they were last
        time.

        The next call changes the same list, so callers copy what they keep.
        """
        new: dict[int, None] = {}
        shared = -1
        self._missing_leaf = None if link is None or link in self._positions else link
        if self._missing_leaf is not None:
            link = self._missing_parents.latest
        # Most contexts continue where the one before ended, over a few plain rows.
        while link is not None and link not in self._branching and link not in new and link in self._positions:
            index = self._segment_of_row.get(link, -1)
            if index >= 0:
                shared = index
                self._truncate(index, link)
                break
            new[link] = None
            child = min(child, self._positions[link])
            link = self._find_parent(link)
        for uuid in self._chain(link, child) if shared < 0 else ():
            if uuid in new:
                break  # the parents form a ring
            index = self._segment_of_row.get(uuid, -1)
            if index >= 0 and not self._passes_kept(uuid):
                shared = index
                self._truncate(index, uuid)
                break
            new[uuid] = None
        if shared < 0:
            self._reset()
        self._copy_segment(len(self._segments) - 1)
        self._extend(reversed(new))
        self._refresh()
        same, self._first_changed = self._first_changed, len(self._segments)
        return self._segments, same

    def is_fed(self, link: int) -> bool:
        return link in self._positions

    def is_missing_rows(self, answer: LinkRow) -> bool:
        """Is a row that an answer depends on not fed yet? A second copy of an answer depends on nothing."""
        if answer.uuid in self._positions or (
            answer.parent in self._positions and not self._mid_turn.is_open and self.awaited is None
        ):
            return False
        parent = self._mid_turn.parent_of(answer)
        return (
            parent != answer.parent
            or self.awaited is not None
            or (parent is not None and parent not in self._positions)
        )

    def parent_of(self, answer: LinkRow) -> int | None:
        """What an answer follows; the answer itself is not fed yet."""
        parent = self._mid_turn.parent_of(answer)
        return parent if parent != answer.parent else self._late_progress.parent_of(answer, self._mid_turn.newest)

    def _passes_kept(self, link: int) -> bool:
        """Does the chain lead elsewhere from here than it did for earlier rows?"""
        boundary = self._kept.get(link) or self._anchors.get(link)
        return boundary is not None and self._segments[0].links[:1] != [self.rows[boundary.position].uuid]

    def _chain(self, link: int | None, child: int) -> Iterator[int]:
        """The uuids from a row up to the boundary, or to the start of the file. Kept rows come after the anchor."""
        came: int | None = None
        while link is not None and link in self._positions:
            boundary = self._kept.get(link)
            if boundary is not None and child > boundary.position:
                # Its parent was kept: all kept rows come before it, and before those the summary.
                yield from reversed(boundary.kept_uuids)
                came, link, child = boundary.kept_uuids[0], boundary.anchor, boundary.position
                continue
            boundary = self._anchors.get(link)
            if boundary is not None and came not in boundary.kept_uuids and child > boundary.position:
                yield from reversed(boundary.kept_uuids)
                came = boundary.kept_uuids[0]
            yield link
            row = self.rows[self._positions[link]]
            if is_boundary(row) or (row.flags & _SUMMARY and not self._has_boundary_above(row)):
                return
            child = min(child, row.position)
            came, link = link, self._find_parent(link)

    def _has_boundary_above(self, row: LinkRow) -> bool:
        """Is there a boundary above a summary? Old versions wrote summaries without one: then nothing before it is
        sent. Notes, and in a fork the kept messages, may come between the two."""
        up = row.parent if row.uuid is None else self._parents.get(row.uuid, row.parent)
        positions = (self._positions[link] for link in self._ancestors(up) if link in self._positions)
        return any(is_boundary(self.rows[position]) for position in positions)

    def _ancestors(self, link: int | None) -> Iterator[int]:
        """A row and its ancestors, up to the first that was not fed."""
        passed: set[int] = set()
        while link is not None and link not in passed:
            yield link
            passed.add(link)
            link = self._parents.get(link)

    def start(self) -> int:
        """The position of the boundary, or old summary, at which the last context starts; else -1."""
        if not self._segments or not self._segments[0].links:
            return -1
        row = self.rows[self._positions[self._segments[0].links[0]]]
        return row.position if is_boundary(row) or row.flags & _SUMMARY else -1

    def find_missing(self, link: int | None, child: int) -> tuple[int, ...]:
        """The parents on this chain that were not fed: the row's own, which may come after it, and the next one."""
        self.segments(link, child)
        return tuple(
            parent
            for parent in (self._missing_leaf, self._missing_parent(), self._missing_before_summary())
            if parent is not None
        )

    def _missing_before_summary(self) -> int | None:
        """The missing ancestor of the summary at which the context starts: it may be a boundary."""
        first = self._segments[0].links[0] if self._segments and self._segments[0].links else None
        if first is None or not self.rows[self._positions[first]].flags & _SUMMARY:
            return None
        return next((up for up in self._ancestors(self._parents[first]) if up not in self._positions), None)

    def missing_parent(self) -> int | None:
        """A parent on the last chain that was not fed."""
        return self._missing_parent() if self._missing_leaf is None else self._missing_leaf

    def _missing_parent(self) -> int | None:
        if not self._missing_parents.rows:
            return None
        first = self._segments[0].links[0] if self._segments and self.start() >= 0 else None
        # Kept rows come after the summary, so their own parents do not matter.
        candidates = (
            uuid
            for uuid in self._missing_parents.rows
            if uuid in self._segment_of_row and uuid != first and uuid not in self._kept
        )
        return next(
            (up for uuid in candidates if (up := self._parents[uuid]) is not None and up not in self._positions), None
        )

    def _reset(self) -> None:
        self._segments.clear()
        self._segment_of_answer.clear()
        self._segment_of_row.clear()
        self._outdated.clear()
        self._first_changed = 0

    def _truncate(self, index: int, link: int) -> None:
        """Go back to where `link` was the end of the chain."""
        last = self._segments[index]
        if index == len(self._segments) - 1 and last.links[-1] == link:
            return
        for segment in self._segments[index:]:
            for uuid in segment.links:
                del self._segment_of_row[uuid]
            if segment.message is not None:
                self._segment_of_answer.pop(segment.message, None)
        del self._segments[index:]
        self._first_changed = min(self._first_changed, index)
        self._extend(last.links[: last.links.index(link) + 1])

    def _copy_segment(self, index: int) -> None:
        """Copy a segment that is going to grow: callers keep the old one."""
        if index >= 0:
            last = self._segments[index]
            self._segments[index] = Segment(last.message, last.answer, last.results, list(last.rest), list(last.links))

    def _extend(self, links: Iterable[int]) -> None:
        """Extend the chain with these rows."""
        segments = self._segments
        for link in links:
            row = self.rows[self._positions[link]]
            message = self._answer_rows.message_of(row)
            if not segments or (
                row.type == "assistant" and message is not None and message not in self._segment_of_answer
            ):
                segments.append(Segment(message if row.type == "assistant" else None, [], [], [], []))
                if message is not None and row.type == "assistant":
                    self._segment_of_answer[message] = len(segments) - 1
            last = segments[-1]
            self._first_changed = min(self._first_changed, len(segments) - 1)
            # The rows of an answer belong to its segment, wherever they are in the file.
            place = self._segment_of_answer.get(message) if message is not None else None
            if place is None:
                last.rest.append(row.position)
            elif message is not None:
                self._outdated.add(message)
            last.links.append(link)
            self._segment_of_row[link] = len(segments) - 1

    def _refresh(self) -> None:
        """Add the rows of outdated answers that are off the chain: further blocks, parallel results, and their
        notes."""
        for message in self._outdated:
            index = self._segment_of_answer.get(message)
            if index is None:
                continue
            old = self._segments[index]
            answer, results = self._answer_rows.positions(message, self.is_on_chain)
            rest = list(old.rest)
            for position in self._find_off_chain_notes((*answer, *results)):
                if position not in rest:
                    rest.insert(next((i for i, other in enumerate(rest) if other > position), len(rest)), position)
            self._segments[index] = Segment(message, answer, results, rest, old.links)
            self._first_changed = min(self._first_changed, index)
        self._outdated.clear()

    def is_on_chain(self, position: int) -> bool:
        """Does the last chain lead through this row?"""
        return self.rows[position].uuid in self._segment_of_row

    def _find_off_chain_notes(self, positions: Iterable[int]) -> list[int]:
        """The notes on rows off the chain, and the notes on those."""
        notes: list[int] = []
        uuids = (self.rows[position].uuid for position in positions)
        waiting = [uuid for uuid in uuids if uuid is not None and uuid not in self._segment_of_row]
        while waiting:
            for note in self._notes.get(waiting.pop(), ()):
                other = self.rows[note].uuid
                if other is not None and other not in self._segment_of_row and note not in notes:
                    notes.append(note)
                    waiting.append(other)
        return notes
