"""What the recording endpoint costs: the first byte of an answer with and without it, and the bytes that it keeps."""

from __future__ import annotations

import http.client
import json
import shutil
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.ours.home import Home, home_make
from benchmarks.ours.pipeline import conversation
from benchmarks.table import Row, at_most
from sessions.transcripts.engine.messages import join_messages
from tests.inspector.agents.server import MessagesServer, Say, messages_server

TOKENS = 150_000
REQUESTS = 200
UNCOUNTED = 5
"""At first connections are made, and programs loaded."""
TARGET_MS = 5
TARGET_MB = 5
MARK = {"type": "ephemeral", "ttl": "1h"}


def capture_rows(data: Path, repetitions: int) -> list[Row]:
    """Direct and through it by turns, on connections that are kept, so that both meet the same machine."""
    messages = session(TOKENS)
    with messages_server() as server:
        server.otherwise = Say("Four metres.")
        home = home_make(data / "capture-home")
        with home.server(LUCID_CAPTURE_UPSTREAM=server.url, LUCID_WORKER="off") as port:
            rows = _first_bytes("a short request", server, port, body_of(messages[:1]), 40 * repetitions)
            rows += _first_bytes("a request of 150k tokens", server, port, body_of(messages), 20 * repetitions)
        shutil.rmtree(home.directory / "captures", ignore_errors=True)
        rows.append(_stored(home, server, messages))
    return rows


def session(tokens: int) -> list[dict[str, Any]]:
    return join_messages(conversation(tokens))


def body_of(messages: Sequence[dict[str, Any]], number: int = 0) -> bytes:
    """As a client sends it: with a line in its system prompt that is never the same, and its mark on the last block."""
    content = messages[-1]["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    marked = {**messages[-1], "content": [*blocks[:-1], {**blocks[-1], "cache_control": MARK}]}
    system = [{"type": "text", "text": f"x-billing: {number}"}, {"type": "text", "text": "You watch tides. " * 900}]
    tools = [{"name": f"Tool{item}", "description": "Reads the gauge. " * 60, "input_schema": {}} for item in range(20)]
    body = {"model": "claude-opus-5-5", "max_tokens": 32_000, "stream": True, "system": system, "tools": tools}
    return json.dumps({**body, "messages": [*messages[:-1], marked]}).encode()


def _first_bytes(what: str, server: MessagesServer, port: int, body: bytes, times: int) -> list[Row]:
    upstream = http.client.HTTPConnection("127.0.0.1", int(server.url.rpartition(":")[2]))
    endpoint = http.client.HTTPConnection("127.0.0.1", port)
    direct, through = [], []
    for number in range(times + UNCOUNTED):
        here = _first_byte(upstream, "/v1/messages", server.key, body)
        there = _first_byte(endpoint, "/capture/v1/messages", server.key, body)
        if number >= UNCOUNTED:
            direct.append(here)
            through.append(there)
    upstream.close()
    endpoint.close()
    added = statistics.median(through) - statistics.median(direct)
    return [
        Row("capture", f"first byte of {what}, direct", statistics.median(direct), "ms"),
        Row("capture", f"first byte of {what}, recorded", statistics.median(through), "ms"),
        Row("capture", f"added to the first byte of {what}", added, "ms", target=at_most(TARGET_MS, "ms")),
    ]


def _first_byte(connection: http.client.HTTPConnection, path: str, key: str, body: bytes) -> float:
    started = time.perf_counter()
    connection.request("POST", path, body, {"x-api-key": key, "content-type": "application/json"})
    answer = connection.getresponse()
    answer.read(1)
    taken = 1000 * (time.perf_counter() - started)
    answer.read()
    return taken


def _stored(home: Home, server: MessagesServer, messages: list[dict[str, Any]]) -> Row:
    """A session of so many requests, each with two messages more than the one before, and all at least that large."""
    growing = session(TOKENS + TOKENS // 2)[len(messages) :]
    sent = list(messages)
    with home.server(LUCID_CAPTURE_UPSTREAM=server.url) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for number in range(REQUESTS):
            _first_byte(connection, "/capture/v1/messages", server.key, body_of(sent, number))
            sent += growing[2 * number % len(growing) :][:2]
        connection.close()
    home.run("capture", "list")
    stored = home.inside("captures", str(REQUESTS))
    what = f"stored of {REQUESTS} requests of 150k tokens"
    return Row("capture", what, stored / 1e6, "MB", target=at_most(TARGET_MB, "MB"))
