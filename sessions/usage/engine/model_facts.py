"""What models require of a request, from the table in models.toml.

As with prices, a model is known by its exact name, and a fact that is not in the table is unknown.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sessions.usage.engine.model_names import bare_name


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """None means unknown."""

    min_cache: int | None
    """Tokens that a prefix must have to be cached."""
    keeps_thinking: bool | None
    """Thinking of earlier turns stays in the context."""
    prefix_bound: bool | None
    """A thinking block is valid only while everything before it is unchanged."""
    prefill: bool | None
    """The last message may be the beginning of the answer."""
    thinking: frozenset[str] | None
    """The values of `thinking.type`, besides `disabled`."""
    system_role: bool | None
    """Messages may have the role `system`."""
    tokenizer: int = 2
    """The second gives about 30% more tokens for the same text."""


@lru_cache(maxsize=1024)
def facts_of(model: str | None) -> ModelFacts | None:
    """None if the model is not in the table."""
    return _FACTS.get(bare_name(model) or "")


def tokenizer_of(model: str | None) -> int:
    """The tokenizer of a model: 1, or 2 from Opus 4.7 on. A model that is not in the table counts as new."""
    facts = facts_of(model)
    return 2 if facts is None else facts.tokenizer


def _facts(table: dict[str, Any]) -> dict[str, ModelFacts]:
    facts_by_name: dict[str, ModelFacts] = {}
    for name, row in table["models"].items():
        facts = ModelFacts(
            min_cache=row.get("min_cache"),
            keeps_thinking=row.get("keeps_thinking"),
            prefix_bound=row.get("prefix_bound"),
            prefill=row.get("prefill"),
            thinking=frozenset(row["thinking"]) if "thinking" in row else None,
            system_role=row.get("system_role"),
            tokenizer=row.get("tokenizer", 2),
        )
        facts_by_name |= dict.fromkeys((name, *row.get("also", ())), facts)
    return facts_by_name


_TABLE = tomllib.loads(Path(__file__).with_name("models.toml").read_text("utf-8"))
_FACTS = _facts(_TABLE)
