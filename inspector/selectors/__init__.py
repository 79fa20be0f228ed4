"""Reads of runs: how the import stands, what is under way, and what became of what was."""

from __future__ import annotations

from inspector.selectors.imports import ImportState, import_state
from inspector.selectors.runs import RunCard, active_runs, run_card, run_cards, runs_found, runs_of_note

__all__ = [
    "ImportState",
    "RunCard",
    "active_runs",
    "import_state",
    "run_card",
    "run_cards",
    "runs_found",
    "runs_of_note",
]
