"""The place of an entry as one number: the transcript in the high bits, the position in the low ones."""

from __future__ import annotations

POSITION_BITS = 26
POSITION_MASK = (1 << POSITION_BITS) - 1
BLOCK_BITS = 24
"""A block's id is `source << BLOCK_BITS | number`."""
