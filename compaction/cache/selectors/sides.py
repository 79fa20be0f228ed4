"""The two requests of a break, and the texts at the place where they part. Both are made anew: they are not stored."""

from __future__ import annotations

from dataclasses import dataclass

from compaction.cache.engine.evidence import alike
from compaction.cache.engine.prompt import Prompt, prompt_of
from compaction.cache.engine.sides import text_at
from compaction.cache.selectors.pairs import pair_of
from compaction.models import CacheBreak
from sessions.archive.selectors.records import Reader
from sessions.context.selectors.contexts import ContextPoint


@dataclass(frozen=True, slots=True)
class Sides:
    previous: Prompt
    current: Prompt
    path: str
    """Empty if the two do not part anywhere that is recorded."""
    old: str | None
    new: str | None
    offset: int | None
    """Bytes of both texts that are the same."""


def sides_of(one: CacheBreak) -> Sides:
    reader = Reader(one.transcript.source_id)
    points = (
        ContextPoint(one.previous_position, None, one.previous_message_id),
        ContextPoint(one.position, None, one.message_id),
    )
    contexts = pair_of(one.transcript, *points, reader)
    previous, current = (prompt_of(context) for context in alike(*contexts))
    where = one.divergence
    if not where:
        return Sides(previous, current, "", None, None, None)
    old, new = (where[side]["path"] or where["path"] for side in ("old", "new"))
    return Sides(previous, current, where["path"], text_at(previous, old), text_at(current, new), where["offset"])
