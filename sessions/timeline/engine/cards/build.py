"""A window of records as cards: calls joined with their results, boundaries with summaries, chips in lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sessions.timeline.engine.cards.answer import block_card, raw_card
from sessions.timeline.engine.cards.bars import (
    bar,
    is_bar,
    is_summary,
    summary_bar,
)
from sessions.timeline.engine.cards.calls import call_card, result_card
from sessions.timeline.engine.cards.card import Card, Chip, Kind
from sessions.timeline.engine.cards.damage import damage_card, with_another
from sessions.timeline.engine.cards.inline_events import (
    Told,
    attached,
    chip,
    progress,
    state,
)
from sessions.timeline.engine.cards.lens import Lens, Mask
from sessions.timeline.engine.cards.outcome import results_of
from sessions.timeline.engine.cards.runs import without_repeats
from sessions.timeline.engine.cards.safe_get import blocks, content_of, text
from sessions.timeline.engine.cards.size import frames, texts
from sessions.timeline.engine.cards.speech import (
    command_output,
    is_output,
    prompt_of,
    speech,
)
from sessions.timeline.engine.cards.system import note, quiet
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.rows import Row

PAGE = 125_000
"""Bytes that the cards of one window may come to. A window that is larger is built again with smaller limits."""
_AIM = 0.92 * PAGE
"""Below it, so that one more time is enough as a rule."""
_TRIES = 3
MOST_CARDS = 500
MOST_OF_ONE = 64
"""Blocks of a record that a page shows, and fewer where the records of a window come to more than the page can hold. A
person's session has a handful; a record of its own page, or an export, shows all."""


def build(
    rows: Sequence[Row], results: Mapping[str, Row], *, mask: Mask, whole: bool = False, at_end: bool = False
) -> list[Card]:
    """The cards of a window, in its order.

    `results` has the rows of tool results by tool_use_id, wherever they stand; `mask` is applied to every displayed
    text; `whole` builds without the limits of a page; `at_end` says that nothing follows the window, so that a last
    call without a result may still get one.
    """
    window = _Window(rows, results, at_end)
    cards = without_repeats(window.cards(Lens(mask, whole)))
    for _ in range(0 if whole else _TRIES):
        fixed, flexible = frames(cards), sum(map(texts, cards))
        if fixed + flexible <= PAGE:
            break
        # Squared, because most texts are shorter than their limit and do not shrink with it.
        scale = window.lens.scale * max(0.1, (_AIM - fixed) / flexible) ** 2
        cards = without_repeats(window.cards(Lens(mask, whole, scale)))
    return cards


class _Window:
    def __init__(self, rows: Sequence[Row], results: Mapping[str, Row], at_end: bool) -> None:
        self._rows = rows
        self._results = dict(results)
        self._calls = {call for row in rows for call in _call_ids(row)}
        for row in rows:
            for block in results_of(row.record) if row.type == "user" else ():
                self._results.setdefault(text(block.get("tool_use_id")), row)
        self._open = self._open_from() if at_end else None
        self._limit: int | None = None
        self._summaries: set[int] = set()
        """Positions of summaries that their boundary's bar has taken in."""

    def _open_from(self) -> int | None:
        """From this position on there are only calls: their results may still come."""
        start = None
        for row in reversed(self._rows):
            if row.type == "user" or (row.type == "assistant" and not _call_ids(row)):
                break
            start = row.position
        return start

    def _most(self) -> int:
        """Blocks that are drawn of each row."""
        counts = [len(blocks(row.record)) for row in self._rows if row.type in ("user", "assistant")]
        most = MOST_OF_ONE
        while most > 1 and sum(min(count, most) for count in counts) > MOST_CARDS:
            most //= 2
        return most

    def cards(self, lens: Lens) -> list[Card]:
        self.lens = lens
        self._limit = None if lens.whole else self._most()
        cards: list[Card] = []
        for index, row in enumerate(self._rows):
            if row.position in self._summaries:
                continue
            if row.damage:
                joined = with_another(cards[-1], row) if cards else None
                cards[-1:] = [joined] if joined else [*cards[-1:], damage_card(row, self.lens.fresh())]
                continue
            if is_bar(row.record):
                cards.append(bar(row, self._summary_after(index), self.lens.fresh()))
                continue
            for nth, drawn in enumerate(self._drawn(row)):
                _add(cards, replace(drawn, nth=nth) if nth and isinstance(drawn, Card) else drawn, row)
        return _each_place_once(cards)

    def _summary_after(self, index: int) -> Row | None:
        """The summary that belongs to a boundary: the next record, or the next but the attachments of the new start."""
        for row in self._rows[index + 1 :]:
            if is_summary(row.record):
                self._summaries.add(row.position)
                return row
            if row.type in ("user", "assistant", "system"):
                break
        return None

    def _drawn(self, row: Row) -> Iterator[Card | Chip]:
        for drawn in self._of(row):
            if isinstance(drawn, Card):
                yield drawn
            else:
                yield chip(row, drawn, self.lens.fresh())

    def _of(self, row: Row) -> Iterator[Card | Told]:
        record, lens = row.record, self.lens.fresh()
        if row.type == "user":
            yield from self._user(row)
        elif row.type == "assistant":
            yield from self._assistant(row)
        elif row.type == "attachment":
            typed = Flag.TYPED in row.flags
            yield speech(row, prompt_of(record), lens, queued=True) if typed else attached(record)
        elif row.type == "system":
            if record.get("subtype") == "local_command":
                yield self._local(row, lens)
            else:
                yield quiet(record) or note(row, lens)
        else:
            yield progress(record) if row.type == "progress" else state(record)

    def _local(self, row: Row, lens: Lens) -> Card | Told:
        content = text(row.record.get("content"))
        return speech(row, content, lens) if content.startswith("<command") else command_output(row, content, lens)

    def _user(self, row: Row) -> Iterator[Card | Told]:
        if is_summary(row.record):
            yield summary_bar(row, self.lens.fresh())
            return
        found = results_of(row.record)
        for block in found[: self._limit]:
            tool_use_id = text(block.get("tool_use_id"))
            if not self._joined(tool_use_id, row) and (card := result_card(row, tool_use_id, self.lens.fresh())):
                yield card
        yield from self._left_out(len(found))
        content = content_of(row.record)
        others = [block for block in blocks(row.record) if block.get("type") != "tool_result"]
        if others:
            yield speech(row, others if found else content, self.lens.fresh())
        elif not found:
            yield raw_card(row, "user record without content", row.record.get("message"), self.lens.fresh())

    def _left_out(self, count: int) -> Iterator[Told]:
        if self._limit is not None and count > self._limit:
            yield "not shown here", f"{count - self._limit:,} more parts of this record", "warn"

    def _joined(self, tool_use_id: str, row: Row) -> bool:
        """Does the card of the call show this result? Another result of the same call gets a card of its own."""
        shown = self._results.get(tool_use_id)
        return tool_use_id in self._calls and shown is not None and shown.position == row.position

    def _assistant(self, row: Row) -> Iterator[Card | Told]:
        found = blocks(row.record)
        for block in found[: self._limit]:
            lens = self.lens.fresh()
            if block.get("type") in ("tool_use", "mcp_tool_use"):
                waiting = self._open is not None and row.position >= self._open
                yield call_card(row, block, self._results.get(text(block.get("id"))), lens, waiting=waiting)
            else:
                yield block_card(row, block, lens)
        yield from self._left_out(len(found))
        if not found:
            yield raw_card(row, "assistant record without content", row.record.get("message"), self.lens.fresh())


def _call_ids(row: Row) -> list[str]:
    if row.type != "assistant":
        return []
    return [text(block.get("id")) for block in blocks(row.record) if block.get("type") in ("tool_use", "mcp_tool_use")]


def _add(cards: list[Card], drawn: Card | Chip, row: Row) -> None:
    """Puts a card behind the others; chips gather in lines, and the output of a command joins it."""
    before = cards[-1] if cards else None
    same_turn = before is not None and before.turn == row.turn
    if isinstance(drawn, Chip):
        if before and before.kind is Kind.CHIPS and same_turn:
            cards[-1] = replace(before, chips=_gather(before.chips, drawn), rows=_covered(before, row.position))
        else:
            cards.append(_line(drawn, row))
    elif before and is_output(drawn) and before.kind is Kind.COMMAND and same_turn and len(before.rows) == 1:
        cards[-1] = replace(
            before,
            summary=before.summary or drawn.summary,
            parts=before.parts + drawn.parts,
            rows=before.rows + drawn.rows,
            size=before.size + drawn.size,
            cut=before.cut or drawn.cut,
        )
    else:
        cards.append(drawn)


def _each_place_once(cards: list[Card]) -> list[Card]:
    """A row of the user may hold a result, which its call shows, and words, which have a card: that is its place."""
    own = {card.position for card in cards if not card.nth}
    return [
        replace(card, rows=tuple(row for row in card.rows if row == card.position or row not in own))
        if not own.isdisjoint(card.rows[1:])
        else card
        for card in cards
    ]


def _covered(card: Card, position: int) -> tuple[int, ...]:
    return card.rows if card.rows[-1] == position else (*card.rows, position)


def _gather(chips: tuple[Chip, ...], more: Chip) -> tuple[Chip, ...]:
    """Chips of one label in a row count up, and show the latest detail."""
    latest = chips[-1]
    if latest.label == more.label and latest.tone == more.tone:
        return (*chips[:-1], replace(more, count=latest.count + 1, parts=latest.parts + more.parts))
    return (*chips, more)


def _line(first: Chip, row: Row) -> Card:
    return Card(
        kind=Kind.CHIPS,
        position=row.position,
        address=row.address,
        at=row.at,
        turn=row.turn,
        title="",
        chips=(first,),
        rows=(row.position,),
        marks=(),
    )
