"""Pages as tests read them."""

from __future__ import annotations

import re


def flowing(page: str) -> str:
    """A page on one line: where its template breaks a line shows nowhere."""
    return re.sub(r"\s+", " ", page)
