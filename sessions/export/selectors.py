"""A session for an export: its sections, and their cards, one window at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sessions.agents.selectors.tree import load_agents
from sessions.models import Transcript, Turn
from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import spell_invisible
from sessions.timeline.engine.cards import Card, CardKind, build_cards
from sessions.timeline.engine.cards.records.bars import is_bar, is_summary
from sessions.timeline.selectors.window import Window, window_from
from sessions.transcripts.engine.rows import Record, Row


@dataclass(frozen=True, slots=True)
class Section:
    """One transcript of the document: the session itself first, then its sub-agents."""

    transcript: Transcript
    title: str
    kind: str
    """Type of the agent; empty for the session."""
    depth: int
    anchor: str
    prefix: str
    """Prefix of the anchors of its entries, so that those of two transcripts differ."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The cards of one window, with what is needed to render them."""

    cards: list[Card]
    turns: dict[int, Turn]
    records: dict[str, Record]
    """By address; they contain the pictures."""
    damage: tuple[str, ...] = ()
    """What could not be read."""


def clean_text(text: str) -> str:
    """Masks a text from a database row for a document that may leave the machine."""
    return spell_invisible(mask(text))


def list_sections(session: Transcript, title: str) -> list[Section]:
    """The session and its sub-agents. The agents of compactions are left out: they have a copy of the conversation."""
    sections_found = [Section(session, clean_text(title), "", 0, "session", "")]
    for branch in load_agents(session):
        agent = branch.transcript
        if agent.kind == Transcript.Kind.COMPACTION:
            continue
        name = branch.description or agent.name or agent.agent_id or "Sub-agent"
        number = len(sections_found)
        sections_found.append(
            Section(agent, clean_text(name), clean_text(branch.type), branch.depth, f"agent-{number}", f"a{number}-")
        )
    return sections_found


def read_sheets(transcript: Transcript) -> Iterator[Sheet]:
    start: int | None = 0
    awaited: set[str] = set()
    while start is not None:
        window = _unbroken(window_from(transcript, start))
        at_end = window.later is None
        cards = build_cards(window.rows, window.results, mask=mask, whole=True, at_end=at_end, sizes=window.sizes)
        cards_left = [card for card in cards if not _is_told(card, awaited)]
        damage = tuple(row.damage for row in (*window.rows, *window.results.values()) if row.damage)
        yield Sheet(cards_left, window.turns, _records(window), damage)
        start = window.later
        awaited = (awaited | _find_pending(window)) if window.rows else set()


def _unbroken(window: Window) -> Window:
    """The window without a boundary at its end, if the summary of the boundary is in the next window."""
    if window.later is None:
        return window
    for index in range(len(window.rows) - 1, 0, -1):
        row = window.rows[index]
        if is_bar(row.record):
            return replace(window, rows=window.rows[:index], later=row.position)
        if is_summary(row.record) or row.type in ("user", "assistant", "system"):
            break
    return window


def _find_pending(window: Window) -> set[str]:
    """Calls whose result was shown with them but comes after this window."""
    last = window.rows[-1].position
    return {tool_use_id for tool_use_id, row in window.results.items() if row.position > last}


def _is_told(card: Card, awaited: set[str]) -> bool:
    if card.kind is not CardKind.RESULT or card.tool_use_id not in awaited:
        return False
    awaited.discard(card.tool_use_id)
    return True


def _records(window: Window) -> dict[str, Record]:
    rows: Sequence[Row] = (*window.rows, *window.results.values())
    return {row.address: row.record for row in rows}
