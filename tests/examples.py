"""How many examples a property is tried on."""

from __future__ import annotations

import os


def examples(usual: int, *, share: int = 1) -> int:
    """Few usually. `make slow` says how many it wants; of those that take long, only a share of them."""
    return max(usual, int(os.environ.get("LUCID_EXAMPLES", "0")) // share)
