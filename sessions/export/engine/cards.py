"""Renders cards of the timeline as Markdown: messages with a heading, everything else with one line."""

from __future__ import annotations

from sessions.export.engine.fences import escape_line, make_code_span
from sessions.export.engine.parts import part_markdown, quote_text
from sessions.timeline.engine.cards.card import Badge, Card, CardKind, Chip

_SPEAKERS = (CardKind.USER, CardKind.ASSISTANT)
_TERSE = (CardKind.TOOL, CardKind.RESULT, CardKind.COMMAND)
"""Cards whose summary is a command or a path, not a sentence."""


def card_markdown(card: Card, clock: str = "") -> str:
    """The card and an empty line. `clock`: its time, formatted by the caller."""
    if card.kind is CardKind.CHIPS:
        return f"{' · '.join(map(_chip, card.chips))}\n\n"
    if card.kind is CardKind.BAR:
        return _bar(card, clock)
    body = [part_markdown(part) for part in card.parts]
    if card.kind is CardKind.THINKING:
        body = [quote_text("\n\n".join(body))] if body else []
    if card.cut:
        body.append("*Cut here; the rest is in the record.*")
    return "\n\n".join((_header(card, clock), *body)) + "\n\n"


def _bar(card: Card, clock: str) -> str:
    facts = " · ".join(escape_line(fact) for fact in (*card.facts, clock) if fact)
    sentence = f"**{escape_line(card.summary)}**" + (f" {facts}" if facts else "")
    return "\n\n".join(("---", sentence, *map(part_markdown, card.parts), "---")) + "\n\n"


def _header(card: Card, clock: str) -> str:
    title = escape_line(card.title)
    rest = [escape_line(fact) for fact in card.facts]
    rest += [_badge(mark) for mark in card.marks if not mark.repeated]
    rest += [clock] if clock else []
    if card.kind in _SPEAKERS:
        return f"#### {' · '.join((title, *rest))}"
    if card.kind is CardKind.THINKING:
        return f"*{' · '.join((title, *rest))}*"
    summary = make_code_span(card.summary) if card.kind in _TERSE else escape_line(card.summary)
    name = f"**{'✕ ' if card.error else ''}{title}**" if title else ""
    return " · ".join(filter(None, (" ".join(filter(None, (name, summary))), *rest)))


def _badge(mark: Badge) -> str:
    return f"{mark.symbol} {escape_line(mark.text)}"


def _chip(chip: Chip) -> str:
    label = f"{escape_line(chip.label)} {escape_line(chip.detail)}".strip()
    return f"*{label}*" + (f" ×{chip.count}" if chip.count > 1 else "")
