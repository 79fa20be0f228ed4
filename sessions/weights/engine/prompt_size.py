"""The size of a prompt, in the two ways in which people speak of it: the whole prompt, or its messages only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sessions.weights.engine.weight import Basis, Weight, combine

WHOLE_PROMPT = "whole prompt"
MESSAGES_ONLY = "messages only"


@dataclass(frozen=True, slots=True)
class PromptSize:
    messages: Weight
    """Messages only."""
    head: Weight | None = None
    """What stands before them; None if nothing tells its size."""
    unrecorded: float = 0.0
    """Counted by the API beside them, without a record."""
    counted: int | None = None
    """The whole prompt, if the API counted it."""

    @property
    def whole(self) -> Weight | None:
        """None if the size before the messages is unknown."""
        if self.counted is not None:
            return Weight(self.counted, Basis.MEASURED)
        if self.head is None:
            return None
        unrecorded = [Weight(self.unrecorded, Basis.APPORTIONED)] if self.unrecorded else []
        return combine([self.head, self.messages, *unrecorded])

    @property
    def weight(self) -> Weight:
        return self.whole or self.messages

    @property
    def of(self) -> str:
        """What `weight` is the size of."""
        return MESSAGES_ONLY if self.whole is None else WHOLE_PROMPT

    def to_json(self) -> dict[str, Any]:
        return {"whole_prompt": write_weight(self.whole), "messages_only": write_weight(self.messages)}


@dataclass(frozen=True, slots=True)
class StoredSize:
    """A stored or printed size."""

    whole: Weight | None
    messages: Weight

    @property
    def weight(self) -> Weight:
        return self.whole or self.messages

    @property
    def of(self) -> str:
        return MESSAGES_ONLY if self.whole is None else WHOLE_PROMPT

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> StoredSize:
        messages = read_weight(value["messages_only"])
        assert messages is not None
        return cls(read_weight(value["whole_prompt"]), messages)


def write_weight(weight: Weight | None) -> dict[str, Any]:
    if weight is None:
        return {"tokens": None, "basis": "unknown"}
    return {"tokens": round(weight.tokens), "basis": str(weight.basis)}


def read_weight(value: Mapping[str, Any]) -> Weight | None:
    return None if value["tokens"] is None else Weight(value["tokens"], Basis(value["basis"]))
