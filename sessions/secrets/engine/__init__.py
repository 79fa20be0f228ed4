"""Masks secrets in text that is about to be shown or exported. The archive keeps the original.

Every pattern starts with a literal and repeats only bounded or disjoint classes, so the time is proportional to the
length of any text.
"""

from __future__ import annotations

from typing import Any

from sessions.secrets.engine.assignments import mask_assignments
from sessions.secrets.engine.clean_texts import CleanTexts
from sessions.secrets.engine.forms import mask_forms
from sessions.secrets.engine.gitleaks import mask_vendors
from sessions.secrets.engine.key_shapes import mask_logins, mask_private_keys, mask_tokens
from sessions.secrets.engine.marker import MASK
from sessions.secrets.engine.split_secrets import mask_split
from sessions.secrets.engine.structure import mask_structure

__all__ = ["MASK", "mask", "mask_json"]

_clean = CleanTexts()


def mask(text: str) -> str:
    """The text with each secret cut down to the part that shows its kind. Masking twice changes nothing."""
    return _clean.mask(text, _mask_split_text)


def _mask_split_text(text: str) -> str:
    return mask_split(text, _mask_text, MASK)


def _mask_text(text: str) -> str:
    return mask_assignments(mask_forms(mask_vendors(mask_logins(mask_tokens(mask_private_keys(text))))))


def mask_json(value: Any) -> Any:
    """Decoded JSON with its secrets masked, including values that only their names show to be secrets."""
    return mask_structure(value, mask)
