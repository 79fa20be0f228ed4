"""A captured request, joined from its stored parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sessions.capture.engine.cache_marks import restore_marks
from sessions.capture.engine.exchange import QUOTA_HEADERS


@dataclass(frozen=True, slots=True)
class SentRequest:
    """The request as it was sent, with its cache marks separate."""

    capture: int
    """Primary key of the capture."""
    messages: tuple[Mapping[str, Any], ...]
    system: str | tuple[Mapping[str, Any], ...] | None
    """None if the request had none."""
    tools: tuple[Mapping[str, Any], ...] | None
    params: Mapping[str, Any]
    """Everything else in the body, and `betas` from the header."""
    marks: tuple[Mapping[str, Any], ...]
    contents: tuple[int, ...] = ()
    """A number for each message. Equal numbers mean equal bytes, in all requests."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Of the request, and what the answer says of the quota."""

    @property
    def has_quota(self) -> bool | None:
        """Whether a subscription pays for it: the API tells only subscribers about their quota, so its silence says
        nothing."""
        return True if any(name in self.headers for name in QUOTA_HEADERS) else None

    @property
    def overage(self) -> bool | None:
        """Whether the quota of the subscription was used up, so that tokens cost extra; None if nobody says."""
        if not self.has_quota:
            return None
        return (
            self.headers.get("anthropic-ratelimit-unified-overage-in-use") == "true"
            or self.headers.get("anthropic-ratelimit-unified-representative-claim") == "overage"
        )

    @property
    def system_blocks(self) -> tuple[Mapping[str, Any], ...]:
        if isinstance(self.system, str):
            return ({"type": "text", "text": self.system},)
        return self.system or ()

    def body(self) -> dict[str, Any]:
        """The body as it was sent, including marks."""
        body = {name: value for name, value in self.params.items() if name != "betas"}
        if self.system is not None:
            body["system"] = self.system if isinstance(self.system, str) else list(self.system)
        if self.tools is not None:
            body["tools"] = list(self.tools)
        return restore_marks({**body, "messages": list(self.messages)}, self.marks)
