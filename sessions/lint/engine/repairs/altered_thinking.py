"""Restores altered thinking of the latest turn, or leaves it out."""

from __future__ import annotations

from dataclasses import replace

from sessions.lint.engine.repairs.draft import Draft
from sessions.lint.engine.returned_thinking import AlteredThinking, altered_thinking
from sessions.lint.engine.thinking_binding import Conversation


def repair_altered(draft: Draft, before: Conversation, model: str | None) -> None:
    for altered in list(altered_thinking(before, draft.sections, model)):
        if altered.original is None:
            draft.drop_spots(altered.answer, "Of the thinking of its answer something is missing or elsewhere.")
        else:
            _restore(draft, altered)


def _restore(draft: Draft, altered: AlteredThinking) -> None:
    for row in draft.rows:
        row.spots = [
            replace(spot, block=altered.original) if spot is altered.spot and altered.original else spot
            for spot in row.spots
        ]
    draft.note(altered.spot.path, "Put a thinking block back as it was.", "In the latest turn none may be edited.")
