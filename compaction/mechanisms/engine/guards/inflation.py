"""A compaction must make a conversation smaller; otherwise it only loses information."""

from __future__ import annotations


def explain_inflation(before: int, after: int) -> str | None:
    """Why a result is refused, or None if it is smaller."""
    if after < before:
        return None
    return f"The result would have ~{after:,} tokens, which is no less than the ~{before:,} there are."
