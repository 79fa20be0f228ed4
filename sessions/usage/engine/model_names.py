"""The plain name of a model: ids add providers, regions, dates and window sizes to it."""

from __future__ import annotations

import re

_LONGEST = 200
_MODEL = re.compile(
    r"(?:arn:aws[a-z-]*:bedrock:[^/]*/)?(?:(?:openrouter|bedrock|vertex_ai)/)?"
    r"(?:publishers/anthropic/models/|(?:[a-z-]{2,6}\.)?anthropic[./])?"
    r"(?P<name>claude-[a-z0-9.-]+?)"
    r"(?:[-@](?:\d{8}|latest)|@default)?(?:-v\d(?::\d(?::\d+k)?)?)?(?P<long>\[1m\])?",
    re.IGNORECASE,
)
_LONG = "[1m]"


def bare_name(model: str | None) -> str | None:
    """The name as our tables spell it; None if this is not the id of a Claude model."""
    if model is None or len(model) > _LONGEST:
        return None
    match = _MODEL.fullmatch(model)
    return match["name"].lower().replace(".", "-") if match else None


def asks_for_long_window(model: str | None) -> bool:
    """Works for any model, because aliases of the client and unknown models may have the suffix too."""
    return model is not None and model.lower().endswith(_LONG)
