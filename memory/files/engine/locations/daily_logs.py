"""Daily logs of a memory directory: `logs/Y/M/D.md` or `logs/Y/M/Y-M-D.md`."""

from __future__ import annotations

import re
from datetime import date

_DAY = re.compile(r"logs/(\d{4})/(\d{1,2})/(?:\d{4}-\d{1,2}-)?(\d{1,2})\.md")


def day_of(name: str) -> date | None:
    """The day of a log file; None for any other file."""
    match = _DAY.fullmatch(name)
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None
