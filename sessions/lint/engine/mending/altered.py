"""Thinking of the latest turn comes back as it was, or not at all."""

from __future__ import annotations

from dataclasses import replace

from sessions.lint.engine.binding import Side
from sessions.lint.engine.mending.draft import Draft
from sessions.lint.engine.returning import Altered, altered_thinking


def mend_altered(draft: Draft, before: Side, model: str | None) -> None:
    for altered in list(altered_thinking(before, draft.sections, model)):
        if altered.original is None:
            draft.drop_spots(altered.answer, "Of the thinking of its answer something is missing or elsewhere.")
        else:
            _restore(draft, altered)


def _restore(draft: Draft, altered: Altered) -> None:
    for row in draft.rows:
        row.spots = [
            replace(spot, block=altered.original) if spot is altered.spot and altered.original else spot
            for spot in row.spots
        ]
    draft.say(altered.spot.path, "Put a thinking block back as it was.", "In the latest turn none may be edited.")
