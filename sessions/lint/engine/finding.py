"""What a rule found in a request."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    REFUSED = "refused"
    """The API answers with an error."""
    COSTS = "costs"
    """The API takes it, and something is lost: cache, thinking, money."""
    NOTE = "note"
    """Perhaps nothing is lost, but worth knowing."""


@dataclass(frozen=True, slots=True)
class Finding:
    rule: str
    severity: Severity
    path: str
    """Where in the body, like `messages[3].content[0]`; empty for the body as a whole."""
    message: str
    """A sentence for people."""
    repair: str
    """A sentence that says how to fix it."""
    api_error: str = ""
    """The API's own words, where they are known."""
