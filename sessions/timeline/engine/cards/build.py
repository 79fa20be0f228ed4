"""Builds the cards of a window: calls with their results, boundaries with their summaries, chips in lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sessions.timeline.engine.cards.adjustments.repeated_badges import mark_repeated_badges
from sessions.timeline.engine.cards.card import Card, CardKind, Chip
from sessions.timeline.engine.cards.lens import Lens, Mask
from sessions.timeline.engine.cards.page_bytes import frames_bytes, text_bytes
from sessions.timeline.engine.cards.records.assistant import block_card, raw_card
from sessions.timeline.engine.cards.records.bars import bar, is_bar, is_summary, summary_bar
from sessions.timeline.engine.cards.records.damage import damage_card, extend_damage_card
from sessions.timeline.engine.cards.records.inline_events import (
    ChipText,
    describe_attachment,
    describe_progress,
    describe_state,
    make_chip,
)
from sessions.timeline.engine.cards.records.system import describe_quiet_record, system_card
from sessions.timeline.engine.cards.records.tool_calls import call_card, result_card
from sessions.timeline.engine.cards.records.user import command_output, is_command_output, queued_prompt, user_card
from sessions.timeline.engine.cards.safe_get import as_text, message_content, record_blocks
from sessions.timeline.engine.cards.tool_results import results_of
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.rows import Row
from sessions.weights.engine import BoundarySize

PAGE_BYTES = 125_000
"""The most bytes that the cards of a window may have. A larger window is built again with smaller limits."""
_TARGET_BYTES = 0.92 * PAGE_BYTES
"""Lower than the limit, so that building once more is usually enough."""
_MAX_REBUILDS = 3
MAX_CARDS = 500
MAX_BLOCKS = 64
"""Blocks shown of a record; fewer if the window has too many cards. The entry page and exports show all of them."""


def build_cards(
    rows: Sequence[Row],
    results: Mapping[str, Row],
    *,
    mask: Mask,
    whole: bool = False,
    at_end: bool = False,
    sizes: Mapping[int, BoundarySize] | None = None,
) -> list[Card]:
    """The cards of a window, in its order.

    `results`: rows of tool results by tool_use_id, also from outside the window. `mask` is applied to every displayed
    text. `whole` builds without the limits of a page. `at_end`: nothing follows the window, so the result of a last
    call may still come. `sizes`: of compactions, by their place.
    """
    window = _Window(rows, results, at_end, sizes or {})
    cards = mark_repeated_badges(window.cards(Lens(mask, whole)))
    for _ in range(0 if whole else _MAX_REBUILDS):
        fixed, flexible = frames_bytes(cards), sum(map(text_bytes, cards))
        if fixed + flexible <= PAGE_BYTES:
            break
        # Squared, because most texts are shorter than their limit and do not shrink with it.
        scale = window.lens.scale * max(0.1, (_TARGET_BYTES - fixed) / flexible) ** 2
        cards = mark_repeated_badges(window.cards(Lens(mask, whole, scale)))
    return cards


class _Window:
    def __init__(
        self, rows: Sequence[Row], results: Mapping[str, Row], at_end: bool, sizes: Mapping[int, BoundarySize]
    ) -> None:
        self._rows = rows
        self._sizes = sizes
        self._results = dict(results)
        self._calls = {call for row in rows for call in _call_ids(row)}
        for row in rows:
            for block in results_of(row.record) if row.type == "user" else ():
                self._results.setdefault(as_text(block.get("tool_use_id")), row)
        self._open = self._find_open_position() if at_end else None
        self._limit: int | None = None
        self._summaries: set[int] = set()
        """Positions of summaries that the bar of their boundary shows."""

    def _find_open_position(self) -> int | None:
        """The position from which there are only calls, whose results may still come."""
        start = None
        for row in reversed(self._rows):
            if row.type == "user" or (row.type == "assistant" and not _call_ids(row)):
                break
            start = row.position
        return start

    def _block_limit(self) -> int:
        """How many blocks of each row are shown."""
        counts = [len(record_blocks(row.record)) for row in self._rows if row.type in ("user", "assistant")]
        most = MAX_BLOCKS
        while most > 1 and sum(min(count, most) for count in counts) > MAX_CARDS:
            most //= 2
        return most

    def cards(self, lens: Lens) -> list[Card]:
        self.lens = lens
        self._limit = None if lens.whole else self._block_limit()
        cards: list[Card] = []
        for index, row in enumerate(self._rows):
            if row.position in self._summaries:
                continue
            if row.damage:
                extended = extend_damage_card(cards[-1], row) if cards else None
                cards[-1:] = [extended] if extended else [*cards[-1:], damage_card(row, self.lens.fresh())]
                continue
            if is_bar(row.record):
                cards.append(bar(row, self._summary_after(index), self.lens.fresh(), self._sizes.get(row.position)))
                continue
            for nth, item in enumerate(self._make_items(row)):
                _append(cards, replace(item, nth=nth) if nth and isinstance(item, Card) else item, row)
        return _claim_positions(cards)

    def _summary_after(self, index: int) -> Row | None:
        """The summary of a boundary: the next record that is no attachment."""
        for row in self._rows[index + 1 :]:
            if is_summary(row.record):
                self._summaries.add(row.position)
                return row
            if row.type in ("user", "assistant", "system"):
                break
        return None

    def _make_items(self, row: Row) -> Iterator[Card | Chip]:
        for item in self._convert(row):
            if isinstance(item, Card):
                yield item
            else:
                yield make_chip(row, item, self.lens.fresh())

    def _convert(self, row: Row) -> Iterator[Card | ChipText]:
        record, lens = row.record, self.lens.fresh()
        if row.type == "user":
            yield from self._user(row)
        elif row.type == "assistant":
            yield from self._assistant(row)
        elif row.type == "attachment":
            typed = Flag.TYPED in row.flags
            yield user_card(row, queued_prompt(record), lens, queued=True) if typed else describe_attachment(record)
        elif row.type == "system":
            if record.get("subtype") == "local_command":
                yield self._local_command(row, lens)
            else:
                yield describe_quiet_record(record) or system_card(row, lens)
        else:
            yield describe_progress(record) if row.type == "progress" else describe_state(record)

    def _local_command(self, row: Row, lens: Lens) -> Card | ChipText:
        content = as_text(row.record.get("content"))
        return user_card(row, content, lens) if content.startswith("<command") else command_output(row, content, lens)

    def _user(self, row: Row) -> Iterator[Card | ChipText]:
        if is_summary(row.record):
            yield summary_bar(row, self.lens.fresh(), self._sizes.get(row.position))
            return
        results = results_of(row.record)
        for block in results[: self._limit]:
            tool_use_id = as_text(block.get("tool_use_id"))
            if not self._is_shown_by_call(tool_use_id, row) and (
                card := result_card(row, tool_use_id, self.lens.fresh())
            ):
                yield card
        yield from self._omission_note(len(results))
        content = message_content(row.record)
        others = [block for block in record_blocks(row.record) if block.get("type") != "tool_result"]
        if others:
            yield user_card(row, others if results else content, self.lens.fresh())
        elif not results:
            yield raw_card(row, "user record without content", row.record.get("message"), self.lens.fresh())

    def _omission_note(self, count: int) -> Iterator[ChipText]:
        if self._limit is not None and count > self._limit:
            yield "not shown here", f"{count - self._limit:,} more parts of this record", "warn"

    def _is_shown_by_call(self, tool_use_id: str, row: Row) -> bool:
        """Whether the card of the call shows this result. A second result of the same call gets its own card."""
        call_result = self._results.get(tool_use_id)
        return tool_use_id in self._calls and call_result is not None and call_result.position == row.position

    def _assistant(self, row: Row) -> Iterator[Card | ChipText]:
        content_blocks = record_blocks(row.record)
        for block in content_blocks[: self._limit]:
            lens = self.lens.fresh()
            if block.get("type") in ("tool_use", "mcp_tool_use"):
                waiting = self._open is not None and row.position >= self._open
                yield call_card(row, block, self._results.get(as_text(block.get("id"))), lens, waiting=waiting)
            else:
                yield block_card(row, block, lens)
        yield from self._omission_note(len(content_blocks))
        if not content_blocks:
            yield raw_card(row, "assistant record without content", row.record.get("message"), self.lens.fresh())


def _call_ids(row: Row) -> list[str]:
    if row.type != "assistant":
        return []
    return [
        as_text(block.get("id"))
        for block in record_blocks(row.record)
        if block.get("type") in ("tool_use", "mcp_tool_use")
    ]


def _append(cards: list[Card], item: Card | Chip, row: Row) -> None:
    """Appends a card. Consecutive chips share a line, and output of a command is added to its card."""
    previous = cards[-1] if cards else None
    same_turn = previous is not None and previous.turn == row.turn
    if isinstance(item, Chip):
        if previous and previous.kind is CardKind.CHIPS and same_turn:
            cards[-1] = replace(
                previous, chips=_merge_chip(previous.chips, item), rows=_extend_rows(previous, row.position)
            )
        else:
            cards.append(_chip_line(item, row))
    elif (
        previous
        and is_command_output(item)
        and previous.kind is CardKind.COMMAND
        and same_turn
        and len(previous.rows) == 1
    ):
        cards[-1] = replace(
            previous,
            summary=previous.summary or item.summary,
            parts=previous.parts + item.parts,
            rows=previous.rows + item.rows,
            size=previous.size + item.size,
            cut=previous.cut or item.cut,
        )
    else:
        cards.append(item)


def _claim_positions(cards: list[Card]) -> list[Card]:
    """A user record may hold a result, which the call's card covers, and text: then only the text's card covers it."""
    own = {card.position for card in cards if not card.nth}
    return [
        replace(card, rows=tuple(row for row in card.rows if row == card.position or row not in own))
        if not own.isdisjoint(card.rows[1:])
        else card
        for card in cards
    ]


def _extend_rows(card: Card, position: int) -> tuple[int, ...]:
    return card.rows if card.rows[-1] == position else (*card.rows, position)


def _merge_chip(chips: tuple[Chip, ...], more: Chip) -> tuple[Chip, ...]:
    """Consecutive chips with the same label become one, with a count and the latest detail."""
    latest = chips[-1]
    if latest.label == more.label and latest.tone == more.tone:
        return (*chips[:-1], replace(more, count=latest.count + 1, parts=latest.parts + more.parts))
    return (*chips, more)


def _chip_line(first: Chip, row: Row) -> Card:
    return Card(
        kind=CardKind.CHIPS,
        position=row.position,
        address=row.address,
        at=row.at,
        turn=row.turn,
        title="",
        chips=(first,),
        rows=(row.position,),
        marks=(),
    )
