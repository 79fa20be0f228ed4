"""A conversation written out as text, for a model that takes one prompt and no messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from inspector.agents.model import Json

_PREAMBLE = (
    "Below is a conversation between a user and an assistant, oldest message first. "
    "Give the assistant's next message, and nothing else."
)


def flat_system(system: str | Sequence[Json]) -> str:
    if isinstance(system, str):
        return system
    return "\n\n".join(block["text"] for block in system if isinstance(block.get("text"), str))


def flat_prompt(messages: Sequence[Json]) -> str:
    """A single message becomes the prompt itself; of several, each stands in a tag named after its role."""
    if len(messages) == 1:
        return _content(messages[0].get("content"))
    parts = (f"<{_role(message)}>\n{_content(message.get('content'))}\n</{_role(message)}>" for message in messages)
    return "\n\n".join((_PREAMBLE, *parts))


def _role(message: Json) -> str:
    role = message.get("role")
    return role if role in ("assistant", "system") else "user"


def _content(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n\n".join(part for part in _parts(content or ()) if part)


def _parts(blocks: Iterable[Any]) -> Iterable[str]:
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text":
            yield str(block.get("text", ""))
        elif kind == "tool_use":
            arguments = json.dumps(block.get("input"), ensure_ascii=False)
            yield f"[calls {block.get('name')} with {arguments}]"
        elif kind == "tool_result":
            yield f"[result]\n{_content(block.get('content'))}"
        elif kind in ("image", "document"):
            yield f"[{kind}]"
