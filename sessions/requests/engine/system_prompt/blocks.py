"""A system prompt as the blocks of a request: who may share the cache of which part.

What all users have in common comes first and can be shared by everybody; what depends on the session follows. A marker
in the list of texts separates the two and is never sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sessions.requests.engine.prompt_cache.ttl import Ttl, cache_control
from sessions.transcripts.engine.messages import Block

BOUNDARY = "<<< dynamic sections >>>"


class Scope(StrEnum):
    NONE = "none"
    """Differs from request to request: not cached."""
    ORG = "org"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class Provider:
    """The facts that decide whether everybody may share the static part."""

    first_party: bool = True
    mcp_tools: bool = False
    custom_prompt: bool = False

    @property
    def shares_globally(self) -> bool:
        return self.first_party and not self.mcp_tools and not self.custom_prompt


@dataclass(frozen=True, slots=True)
class ScopedText:
    text: str
    scope: Scope


def assemble(static: Sequence[str], dynamic: Sequence[str]) -> list[str]:
    return [*static, BOUNDARY, *dynamic]


def scope_texts(
    texts: Sequence[str], provider: Provider | None = None, *, attribution: str = "", prefix: str = ""
) -> list[ScopedText]:
    """At most four parts: attribution, prefix, static and dynamic sections. A custom prompt is not divided."""
    provider = provider or Provider()
    parts = [ScopedText(text, Scope.NONE) for text in (attribution, prefix) if text]
    if BOUNDARY in texts and not provider.custom_prompt:
        line = list(texts).index(BOUNDARY)
        halves = (texts[:line], texts[line + 1 :])
        scopes = (Scope.GLOBAL if provider.shares_globally else Scope.ORG, Scope.ORG)
    else:
        halves, scopes = ([text for text in texts if text != BOUNDARY], ()), (Scope.ORG, Scope.ORG)
    for half, scope in zip(halves, scopes, strict=True):
        text = "\n\n".join(half)
        if text.strip():
            parts.append(ScopedText(text, scope))
    return parts


def system_blocks(parts: Sequence[ScopedText], ttl: Ttl = Ttl.FIVE_MINUTES) -> list[Block]:
    blocks: list[Block] = []
    for part in parts:
        block = {"type": "text", "text": part.text}
        if part.scope is Scope.NONE:
            blocks.append(block)
        else:
            blocks.append({**block, "cache_control": cache_control(ttl, everybody=part.scope is Scope.GLOBAL)})
    return blocks
