"""The request for a summary, and the two ways of sending it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from compaction.mechanisms.engine.full.prompt import Variant
from sessions.transcripts.engine.messages import Message

SYSTEM = "You summarise conversations between a user and a coding assistant."
OUTPUT_CAP = 20_000


class RequestPath(StrEnum):
    FORK = "fork"
    """The parent's system prompt, tools, model and thinking: what it has cached is read, not paid for again."""
    DIRECT = "direct"
    """A call of its own, when the fork did not work."""


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """One turn with every tool denied. `messages` ends with the instruction."""

    messages: Sequence[Message]
    path: RequestPath
    max_output_tokens: int | None
    """None on a fork: a limit would change the thinking budget, and with it the cache key."""
    thinking: bool
    """False switches it off; a fork thinks as its parent does."""
    system: str | None
    """None: the parent's, byte for byte."""
    skips_cache_write: bool
    """No later request has this tail, so its cache mark is one message further back."""
    turns: int = 1
    variant: Variant = Variant.FULL
    begins_at: str = ""
    """The first message to summarise, if those before it are only context."""
    dropped_rounds: int = 0
    """How many of the oldest rounds were left out, because a request with them was too long."""


class SummariseError(Exception):
    """The model returned no text, for another reason than the size of the request."""

    def __init__(self, why: str, *, final: bool = False) -> None:
        super().__init__(why)
        self.final = final
        """Any other request would fail too: the key is refused, or the budget used up."""


class Summarise(Protocol):
    """Returns the text of the reply. Raises PromptTooLongError or SummariseError."""

    def __call__(self, request: SummaryRequest, /) -> str: ...


def build_summary_request(
    messages: Sequence[Message],
    path: RequestPath,
    output_cap: int = OUTPUT_CAP,
    variant: Variant = Variant.FULL,
    begins_at: str = "",
    dropped_rounds: int = 0,
) -> SummaryRequest:
    fork = path is RequestPath.FORK
    return SummaryRequest(
        messages,
        path,
        max_output_tokens=None if fork else output_cap,
        thinking=fork,
        system=None if fork else SYSTEM,
        skips_cache_write=fork,
        variant=variant,
        begins_at=begins_at,
        dropped_rounds=dropped_rounds,
    )
