"""How long "at once" may take in a test: tests run beside each other, and beside whatever else the machine does."""

from __future__ import annotations

BESIDE_OTHERS = 5


def soon(seconds: float) -> float:
    """What takes so long at the most on a machine of its own. What it is held against must take far longer still."""
    return seconds * BESIDE_OTHERS
