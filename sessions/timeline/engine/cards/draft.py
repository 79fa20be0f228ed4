"""Makes a card with the values that come from its record and from the tally of its texts."""

from __future__ import annotations

from sessions.timeline.engine.cards.badges import badges_of
from sessions.timeline.engine.cards.card import Card, CardKind, Part
from sessions.timeline.engine.cards.lens import Lens
from sessions.transcripts.engine.rows import Row


def make_card(
    kind: CardKind,
    row: Row,
    lens: Lens,
    title: str,
    summary: str = "",
    *,
    facts: tuple[str, ...] = (),
    parts: tuple[Part, ...] = (),
    tone: str = "",
) -> Card:
    return Card(
        kind=kind,
        position=row.position,
        address=row.address,
        at=row.at,
        turn=row.turn,
        title=title,
        summary=summary,
        facts=facts,
        parts=parts,
        marks=badges_of(row),
        rows=(row.position,),
        error=tone == "bad",
        tone=tone,
        size=lens.tally.size,
        cut=lens.tally.cut,
        whole=lens.whole,
    )
