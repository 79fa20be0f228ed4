"""Exchanges as the recording endpoint writes them down: a request of a client and the answer that it got."""

from __future__ import annotations

import itertools
import json
from typing import Any

from sessions.capture.engine import Ending, Exchange

Json = dict[str, Any]
MODEL = "claude-opus-5-5"
MARK = {"type": "ephemeral", "ttl": "1h"}
_NAMES = itertools.count(1)


def request(*messages: Json, **more: Any) -> Json:
    return {"model": MODEL, "max_tokens": 1000, "stream": True, **more, "messages": list(messages)}


def message(name: str = "msg_1", *content: Json, **usage: int) -> Json:
    counts = {"input_tokens": 3, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, "output_tokens": 5}
    return {
        "id": name,
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": list(content) or [{"type": "text", "text": "Four metres."}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {**counts, **usage},
    }


def exchange(body: Json | bytes, answer: Json | bytes | None = None, **more: Any) -> Exchange:
    number = next(_NAMES)
    text = message(f"msg_{number}") if answer is None else answer
    given: Json = {
        "name": f"{1_760_000_000_000 + number}-{number:016x}",
        "at": 1_760_000_000_000 + number,
        "method": "POST",
        "path": "/v1/messages",
        "headers": [],
        "request": body if isinstance(body, bytes) else json.dumps(body).encode(),
        "status": 200,
        "answer_headers": [("content-type", "application/json")],
        "answer": text if isinstance(text, bytes) else json.dumps(text).encode(),
        "ended": Ending.COMPLETE,
    }
    return Exchange(**{**given, **more})


def events(*data: Json) -> bytes:
    return b"".join(b"event: %s\ndata: %s\n\n" % (item["type"].encode(), json.dumps(item).encode()) for item in data)
