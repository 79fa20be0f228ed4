"""A window of records as the cards of a timeline: calls joined with results, boundaries with summaries, chips in lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sessions.engine.cards.answer import block_card, raw_card
from sessions.engine.cards.bars import bar, is_bar, is_summary, summary_bar
from sessions.engine.cards.calls import call_card, result_card
from sessions.engine.cards.card import Card, Chip, Kind
from sessions.engine.cards.chips import Told, attached, chip, progress, state
from sessions.engine.cards.lens import Lens, Mask
from sessions.engine.cards.loose import blocks, content_of, text
from sessions.engine.cards.outcome import results_of
from sessions.engine.cards.speech import command_output, is_output, prompt_of, speech
from sessions.engine.cards.system import note, quiet
from sessions.engine.flags import Flag
from sessions.engine.rows import Row

PAGE_TEXT = 100_000
"""Bytes of records that a window can show at the ordinary limits; above it every limit shrinks alike."""
_ROW_TEXT = 3_000


def build(
    rows: Sequence[Row], results: Mapping[str, Row], *, mask: Mask, whole: bool = False, last: int | None = None
) -> list[Card]:
    """The cards of a window, in its order.

    `results` has the rows of tool results by tool_use_id, wherever they stand; `mask` is applied to every displayed
    text; `whole` builds without the limits of a page; `last` is the transcript's last position, by which a call
    without a result can be told from one whose result may still come.
    """
    weight = sum(min(row.length, _ROW_TEXT) for row in rows)
    lens = Lens(mask, whole, min(1.0, max(0.2, PAGE_TEXT / weight)) if weight else 1.0)
    return _Window(rows, results, lens, last).cards()


class _Window:
    def __init__(self, rows: Sequence[Row], results: Mapping[str, Row], lens: Lens, last: int | None) -> None:
        self._rows = rows
        self._results = dict(results)
        self._lens = lens
        self._calls = {call for row in rows for call in _call_ids(row)}
        for row in rows:
            for block in results_of(row.record) if row.type == "user" else ():
                self._results.setdefault(text(block.get("tool_use_id")), row)
        self._open = self._open_from(last)

    def _open_from(self, last: int | None) -> int | None:
        """From this position on nothing has answered yet: the transcript ends in calls without a result."""
        if last is None or not self._rows or self._rows[-1].position < last:
            return None
        start = None
        for row in reversed(self._rows):
            if row.type == "user" or (row.type == "assistant" and not _call_ids(row)):
                break
            start = row.position
        return start

    def cards(self) -> list[Card]:
        cards: list[Card] = []
        skip = False
        for row, following in zip(self._rows, [*self._rows[1:], None], strict=True):
            if skip:
                skip = False
                continue
            if is_bar(row.record):
                summary = following if following and is_summary(following.record) else None
                skip = summary is not None
                cards.append(bar(row, summary, self._lens.fresh()))
                continue
            for nth, drawn in enumerate(self._drawn(row)):
                _add(cards, replace(drawn, nth=nth) if nth and isinstance(drawn, Card) else drawn, row)
        return cards

    def _drawn(self, row: Row) -> Iterator[Card | Chip]:
        for drawn in self._of(row):
            if isinstance(drawn, Card):
                yield drawn
            else:
                yield chip(row, drawn, self._lens.fresh())

    def _of(self, row: Row) -> Iterator[Card | Told]:
        record, lens = row.record, self._lens.fresh()
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
            yield summary_bar(row, self._lens.fresh())
            return
        found = results_of(row.record)
        for block in found:
            tool_use_id = text(block.get("tool_use_id"))
            joined = tool_use_id in self._calls and self._results.get(tool_use_id) is row
            if not joined and (card := result_card(row, tool_use_id, self._lens.fresh())):
                yield card
        content = content_of(row.record)
        others = [block for block in blocks(row.record) if block.get("type") != "tool_result"]
        if others:
            yield speech(row, others if found else content, self._lens.fresh())
        elif not found:
            yield raw_card(row, "user record without content", row.record.get("message"), self._lens.fresh())

    def _assistant(self, row: Row) -> Iterator[Card | Told]:
        found = blocks(row.record)
        for block in found:
            lens = self._lens.fresh()
            if block.get("type") in ("tool_use", "mcp_tool_use"):
                waiting = self._open is not None and row.position >= self._open
                yield call_card(row, block, self._results.get(text(block.get("id"))), lens, waiting=waiting)
            else:
                yield block_card(row, block, lens)
        if not found:
            yield raw_card(row, "assistant record without content", row.record.get("message"), self._lens.fresh())


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
