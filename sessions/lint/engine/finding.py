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
    """Nothing is lost for sure; somebody may want to know."""


@dataclass(frozen=True, slots=True)
class Finding:
    rule: str
    severity: Severity
    path: str
    """Where in the body, like `messages[3].content[0]`; empty for the body as a whole."""
    message: str
    """A sentence for people."""
    repair: str
    """A sentence: what would put it right."""
    api_error: str = ""
    """The API's own words, where they are known."""
