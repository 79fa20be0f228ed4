"""Names that an import and those who show it agree on."""

from __future__ import annotations

WAITING = "waiting for another import"
"""The phase of an import that waits for its turn."""
EXPORTS = "exports"
"""Where sessions that are made of the demo go, below the home."""
