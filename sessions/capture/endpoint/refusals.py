"""Errors of the endpoint itself, in the format of the API, so that clients show them."""

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


def make_unreachable_refusal(upstream: Upstream, error: Exception) -> Refusal:
    reason = str(error).strip() or type(error).__name__
    return Refusal(502, "api_error", f"Lucid could not reach {upstream} for you: {reason}.")


async def send_refusal(send: Send, refusal: Refusal) -> None:
    """Sends a refusal after the whole request was read."""
    headers, body = _make_response(refusal)
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def refuse(receive: Receive, send: Send, refusal: Refusal) -> None:
    """Refuses without reading the request, and closes the connection."""
    headers, body = _make_response(refusal)
    await answer_and_close(receive, send, refusal.status, [*headers, (b"connection", b"close")], body)


def _make_response(refusal: Refusal) -> tuple[list[tuple[bytes, bytes]], bytes]:
    body = json.dumps(
        {"type": "error", "error": {"type": refusal.kind, "message": refusal.sentence}}, ensure_ascii=False
    ).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"x-content-type-options", b"nosniff"),
    ]
    return headers, body
