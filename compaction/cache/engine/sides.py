"""What stands at a place of a request, as text: the two sides of a divergence."""

from __future__ import annotations

import re

from compaction.cache.engine.prompt import Part, Prompt
from sessions.context.engine.digest import canonical, hashed_text

_MESSAGE = re.compile(r"messages\[(\d+)\]\.content\[(\d+)\]")
_PART = re.compile(r"(tools|system)\[(\d+)\]")


def text_at(prompt: Prompt, path: str) -> str | None:
    """`path`: as a place names it. None if the request has nothing there, or nobody knows."""
    if match := _MESSAGE.fullmatch(path):
        message, block = int(match[1]), int(match[2])
        if message >= len(prompt.elements) or block >= len(prompt.elements[message].pieces):
            return None
        return hashed_text(prompt.elements[message].pieces[block].block)
    if match := _PART.fullmatch(path):
        parts: tuple[Part, ...] = (prompt.tools if match[1] == "tools" else prompt.system) or ()
        return next((part.words for part in parts if part.place == int(match[2])), None)
    if path == "model":
        return prompt.model
    if path == "output_config.effort":
        return prompt.effort or None
    if path == "speed":
        return prompt.speed or None
    given = prompt.params.get(path)
    return None if given is None else given if isinstance(given, str) else canonical(given)
