"""What the endpoint says for itself, in the form in which the API tells errors, so that clients show it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from inspector.capture.upstream import Upstream

Send = Callable[[Mapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    kind: str
    sentence: str


def unreachable(upstream: Upstream, error: Exception) -> Refusal:
    reason = str(error).strip() or type(error).__name__
    return Refusal(502, "api_error", f"Lucid could not reach {upstream} for you: {reason}.")


async def refuse(send: Send, refusal: Refusal) -> None:
    body = json.dumps(
        {"type": "error", "error": {"type": refusal.kind, "message": refusal.sentence}}, ensure_ascii=False
    ).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
