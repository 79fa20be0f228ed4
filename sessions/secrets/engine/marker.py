"""The text that replaces a secret, and placeholders that only look like one."""

from __future__ import annotations

import math
import re
from collections import Counter

MASK = "…[masked]"

_PLACEHOLDER = re.compile(
    r"\$[A-Za-z_{(]|%[A-Za-z({]|<|\{|\*{2}|•|…|x{4}|\.{3}|your[_-]|my[_-]"
    r"|(?:example|change[_-]?me|placeholder|redacted|masked|dummy|none|null|nil|true|false|undefined|string|str|bytes|text"
    r"|required|optional|unset|empty|missing|invalid|hidden|process|os|env|getenv|self|this|config|settings|options|args"
    r"|props|params|ctx|request|req|data)(?![\w-])",
    re.IGNORECASE,
)


def is_placeholder(value: str) -> bool:
    """Whether this is a variable, a blank to fill in or a word of code, and no secret."""
    return _PLACEHOLDER.match(value) is not None


def bits(value: str) -> float:
    """Bits of information per character: how random a value looks."""
    return sum(-n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())
