"""A captured request, put together again: what the context view and whoever compares requests read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sessions.capture.engine.marks import put_back


@dataclass(frozen=True, slots=True)
class Sent:
    """Without marks, which are told apart from it; everything else as it was sent."""

    capture: int
    """The row that it comes from."""
    messages: tuple[Mapping[str, Any], ...]
    system: str | tuple[Mapping[str, Any], ...] | None
    """None: the request had none."""
    tools: tuple[Mapping[str, Any], ...] | None
    params: Mapping[str, Any]
    """Everything else of the body, and `betas`, which travel in a header."""
    marks: tuple[Mapping[str, Any], ...]
    contents: tuple[int, ...] = ()
    """A number for each message: equal numbers, equal bytes, in whichever request."""

    @property
    def system_blocks(self) -> tuple[Mapping[str, Any], ...]:
        if isinstance(self.system, str):
            return ({"type": "text", "text": self.system},)
        return self.system or ()

    def body(self) -> dict[str, Any]:
        """As it was sent, marks included; `betas` is not part of a body."""
        body = {name: value for name, value in self.params.items() if name != "betas"}
        if self.system is not None:
            body["system"] = self.system if isinstance(self.system, str) else list(self.system)
        if self.tools is not None:
            body["tools"] = list(self.tools)
        return put_back({**body, "messages": list(self.messages)}, self.marks)
