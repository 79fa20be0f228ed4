"""The text of a request at a divergence."""

from __future__ import annotations

import re

from compaction.cache.engine.requests.prompt import Prompt, PromptPart
from sessions.context.engine.digest import canonical, hashed_text

_MESSAGE = re.compile(r"messages\[(\d+)\]\.content\[(\d+)\]")
_PART = re.compile(r"(tools|system)\[(\d+)\]")


def find_text(prompt: Prompt, path: str) -> str | None:
    """`path`: of a `Divergence`. None if the request has nothing there, or no record holds it."""
    if match := _MESSAGE.fullmatch(path):
        message, block = int(match[1]), int(match[2])
        if message >= len(prompt.elements) or block >= len(prompt.elements[message].pieces):
            return None
        return hashed_text(prompt.elements[message].pieces[block].block)
    if match := _PART.fullmatch(path):
        parts: tuple[PromptPart, ...] = (prompt.tools if match[1] == "tools" else prompt.system) or ()
        return next((part.content for part in parts if part.index == int(match[2])), None)
    if path == "model":
        return prompt.model
    if path == "output_config.effort":
        return prompt.effort or None
    if path == "speed":
        return prompt.speed or None
    value = prompt.params.get(path)
    return None if value is None else value if isinstance(value, str) else canonical(value)
