"""Masks secrets in text that is about to be shown or exported. The archive keeps what was written.

Every pattern starts at a literal and repeats bounded or disjoint classes only, so that time grows with the text
alone, whatever somebody wrote into it.
"""

from __future__ import annotations

from sessions.engine.secrets.assignments import mask_assignments
from sessions.engine.secrets.marker import MASK
from sessions.engine.secrets.tokens import mask_logins, mask_private_keys, mask_tokens

__all__ = ["MASK", "mask"]


def mask(text: str) -> str:
    """The text with each secret cut down to what tells its kind. Masking twice changes nothing."""
    return mask_assignments(mask_logins(mask_tokens(mask_private_keys(text))))
