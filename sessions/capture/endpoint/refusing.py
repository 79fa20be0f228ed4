"""What the endpoint says for itself, in the form in which the API tells errors, so that clients show it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from inspector.web.body import Receive, Send
from inspector.web.request_guard import answer_and_close
from sessions.capture.endpoint.upstream import Upstream


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    kind: str
    sentence: str


def unreachable(upstream: Upstream, error: Exception) -> Refusal:
    reason = str(error).strip() or type(error).__name__
    return Refusal(502, "api_error", f"Lucid could not reach {upstream} for you: {reason}.")


async def tell(send: Send, refusal: Refusal) -> None:
    """When the whole request has come."""
    headers, body = _form(refusal)
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def refuse(receive: Receive, send: Send, refusal: Refusal) -> None:
    """Instead of reading it: nothing of its body is kept, and the connection ends."""
    headers, body = _form(refusal)
    await answer_and_close(receive, send, refusal.status, [*headers, (b"connection", b"close")], body)


def _form(refusal: Refusal) -> tuple[list[tuple[bytes, bytes]], bytes]:
    body = json.dumps(
        {"type": "error", "error": {"type": refusal.kind, "message": refusal.sentence}}, ensure_ascii=False
    ).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"x-content-type-options", b"nosniff"),
    ]
    return headers, body
