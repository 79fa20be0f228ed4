"""What a model is called, whoever serves it: ids carry providers, regions, dates and window sizes around the name."""

from __future__ import annotations

import re

_LONGEST = 200
_MODEL = re.compile(
    r"(?:arn:aws[a-z-]*:bedrock:[^/]*/)?(?:(?:openrouter|bedrock|vertex_ai)/)?(?:(?:[a-z]{2,6}\.)?anthropic[./])?"
    r"(?P<name>claude-[a-z0-9.-]+?)"
    r"(?:[-@](?:\d{8}|latest))?(?:-v\d(?::\d)?)?(?P<long>\[1m\])?",
    re.IGNORECASE,
)


def bare_name(model: str | None) -> str | None:
    """The name alone, in the spelling of our tables; None if this is no id of a Claude model."""
    if model is None or len(model) > _LONGEST:
        return None
    match = _MODEL.fullmatch(model)
    return match["name"].lower().replace(".", "-") if match else None
