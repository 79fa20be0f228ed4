"""Removes links to files that are missing: agents delete them, and people publish transcripts without them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from sessions.timeline.engine.cards.card import Card, Fold, Part, Spill

NO_TRANSCRIPT = "its transcript is not here"


def linked_agent_ids(cards: Iterable[Card]) -> set[str]:
    return {card.agent_id for card in cards if card.agent_id}


def linked_file_names(cards: Iterable[Card]) -> set[str]:
    return {spill.name for card in cards for part in card.parts for spill in _spills(part) if spill.name}


def remove_missing_links(cards: Iterable[Card], *, agents: Collection[str], files: Collection[str]) -> list[Card]:
    """The cards with links only to these agents and files. Other files are reported as missing."""
    return [_remove_missing(card, agents, files) for card in cards]


def _remove_missing(card: Card, agents: Collection[str], files: Collection[str]) -> Card:
    if card.agent_id and card.agent_id not in agents:
        card = replace(card, agent_id="", facts=(*card.facts, NO_TRANSCRIPT))
    if any(spill.name not in files for part in card.parts for spill in _spills(part)):
        card = replace(card, parts=tuple(_mark_missing(part, files) for part in card.parts))
    return card


def _spills(part: Part) -> list[Spill]:
    if isinstance(part, Fold):
        return [spill for inner in part.parts for spill in _spills(inner)]
    return [part] if isinstance(part, Spill) else []


def _mark_missing(part: Part, files: Collection[str]) -> Part:
    if isinstance(part, Fold):
        return replace(part, parts=tuple(_mark_missing(inner, files) for inner in part.parts))
    return replace(part, is_available=False) if isinstance(part, Spill) and part.name not in files else part
