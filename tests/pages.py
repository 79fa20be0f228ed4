"""Pages as tests read them."""

from __future__ import annotations

import re


def flowing(page: str) -> str:
    """A page on one line: where its template breaks a line shows nowhere."""
    return re.sub(r"\s+", " ", page).strip()


def tight(page: str) -> str:
    """The same, without the white space around its tags."""
    return re.sub(r" ?(<[^>]*>) ?", r"\1", flowing(page))
