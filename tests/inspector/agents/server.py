"""A real HTTP server that speaks the Messages API: what it answers is scripted, what it was sent is kept.

    with messages_server() as server:
        server.answer(Say("Hello"), Fail(529), Say(calls=[Call("Read", {"file_path": "a.md"})]))
        model = AnthropicModel(server.key, base_url=server.url)
        assert model.ask(Ask("claude-test", ({"role": "user", "content": "Hi"},))).text == "Hello"
        assert server.requests[0].json["messages"][0]["content"] == "Hi"

Each POST to /v1/messages takes the next answer, streamed if the request asks for it. An answer may also be a function
of the request. `count_tokens` needs no script. Requests are kept byte for byte; those that a client broke off are
counted in `left`.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

Json = dict[str, Any]

TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Received:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def json(self) -> Json:
        decoded: Json = json.loads(self.body)
        return decoded


@dataclass(frozen=True)
class Call:
    """A tool that the model wants to use."""

    name: str
    input: Json
    id: str = ""


@dataclass(frozen=True)
class Say:
    """An answer: thinking, then text, then calls. The rest says what goes wrong with it on the way."""

    text: str = ""
    thinking: str = ""
    calls: Sequence[Call] = ()
    stop_reason: str | None = None
    usage: Json = field(default_factory=lambda: {"input_tokens": 10, "output_tokens": 5})
    blocks: Sequence[Json] | None = None
    """Instead of text, thinking and calls: the content as it shall be."""
    id: str = ""
    """Of the message; by default, the number of the request is part of it."""

    wait: float = 0.0
    """Seconds before the first byte."""
    pause: float = 0.0
    """Seconds between two events."""
    hold: threading.Event | None = None
    """Between the two halves of the answer, until somebody sets it."""
    cut_after: int | None = None
    """So many events, then the connection is gone."""
    end_after: int | None = None
    """So many events, then a proper end, as if that were all."""
    error_after: int | None = None
    """So many events, then an `error` event."""
    error: Json = field(default_factory=lambda: {"type": "overloaded_error", "message": "Overloaded"})
    garbage_after: int | None = None
    """So many events, then something that is no JSON."""
    plain: bool = False
    """Not streamed, even if the request asks for it, as some gateways do."""

    def content(self) -> list[Json]:
        if self.blocks is not None:
            return list(self.blocks)
        blocks: list[Json] = []
        if self.thinking:
            blocks.append({"type": "thinking", "thinking": self.thinking, "signature": "c2lnbmVk"})
        if self.text:
            blocks.append({"type": "text", "text": self.text})
        for number, call in enumerate(self.calls, 1):
            blocks.append(
                {"type": "tool_use", "id": call.id or f"toolu_{number}", "name": call.name, "input": call.input}
            )
        return blocks

    def message(self, number: int, model: str) -> Json:
        content = self.content()
        ended = "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"
        return {
            "id": self.id or f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": content,
            "stop_reason": self.stop_reason or ended,
            "stop_sequence": None,
            "usage": self.usage,
        }


@dataclass(frozen=True)
class Fail:
    """An HTTP error in the API's form, or with the body given."""

    status: int
    message: str = "It went wrong"
    kind: str | None = None
    retry_after: float | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True)
class Hang:
    """Takes the request, then closes the connection without a word."""

    wait: float = 0.0


Answer = Say | Fail | Hang
Script = Answer | Callable[[Received], Answer]


def too_long(tokens: int | None = None, limit: int = 200_000) -> Fail:
    numbers = f": {tokens} tokens > {limit} maximum" if tokens is not None else ""
    return Fail(400, f"prompt is too long{numbers}")


class MessagesServer:
    """The state that the handlers share."""

    def __init__(self) -> None:
        self.key = "test-key"
        self.url = ""
        self.tokens = 0
        """What `count_tokens` answers; 0 stands for a quarter of the bytes."""
        self.otherwise: Script | None = None
        """The answer once the script has come to its end; without one it is an error 500."""
        self.requests: list[Received] = []
        self.left = 0
        """How many answers a client did not stay for."""
        self._script: deque[Script] = deque()
        self._lock = threading.Lock()

    def answer(self, *answers: Script) -> None:
        with self._lock:
            self._script.extend(answers)

    def forget(self) -> None:
        """What nobody has asked for."""
        with self._lock:
            self._script.clear()

    @property
    def waiting(self) -> int:
        """Answers that nobody has asked for yet."""
        return len(self._script)

    def count(self, request: Received) -> int:
        """The answer to `count_tokens`."""
        return self.tokens or len(request.body) // 4

    def take(self, request: Received) -> tuple[int, Answer]:
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
            script = self._script.popleft() if self._script else self.otherwise
        if script is None:
            return number, Fail(500, "nothing more is scripted", headers={"x-should-retry": "false"})
        return number, script(request) if callable(script) else script


@contextmanager
def messages_server(state: MessagesServer | None = None) -> Iterator[MessagesServer]:
    state = state or MessagesServer()
    handler = type("Handler", (_Handler,), {"state": state})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        state.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # As every server of an API has it: an event is sent when it is written.
    disable_nagle_algorithm = True
    state: MessagesServer

    def handle(self) -> None:
        with suppress(ConnectionResetError):  # between two requests, a client may leave without a word
            super().handle()

    def do_HEAD(self) -> None:
        self._send(200, b"", {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        request = Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        key = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        path = urlsplit(self.path).path
        try:
            if key != self.state.key:
                self._fail(Fail(401, "invalid x-api-key"))
            elif path == "/v1/messages/count_tokens":
                self._send(200, _dump({"input_tokens": self.state.count(request)}), {})
            elif path == "/v1/messages":
                self._answer(request)
            else:
                self._fail(Fail(404, f"no such path: {path}"))
        except (BrokenPipeError, ConnectionResetError):
            self.state.left += 1
            self.close_connection = True

    def _answer(self, request: Received) -> None:
        number, answer = self.state.take(request)
        if isinstance(answer, Fail):
            self._fail(answer)
            return
        self._sleep(answer.wait)
        if isinstance(answer, Hang):
            self._cut()
            return
        message = answer.message(number, request.json["model"])
        if answer.plain or not request.json.get("stream"):
            self._send(200, _dump(message), {"request-id": f"req_{number}"})
        else:
            self._stream(answer, message, number)

    def _stream(self, answer: Say, message: Json, number: int) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.send_header("request-id", f"req_{number}")
        self.end_headers()
        for count, event in enumerate(_events(message)):
            if count == answer.cut_after:
                self._cut()
                return
            if count == answer.end_after:
                break
            if count == answer.error_after:
                self._event("error", {"type": "error", "error": answer.error})
                break
            if count == answer.garbage_after:
                self._chunk(b"event: content_block_delta\ndata: {not json\n\n")
                break
            self._event(event["type"], event)
            self._sleep(answer.pause)
            if answer.hold is not None and event["type"] == "content_block_delta":
                while not answer.hold.is_set():
                    self._sleep(0.05)
        self._chunk(b"")

    def _event(self, kind: str, data: Json) -> None:
        self._chunk(b"event: %s\ndata: %s\n\n" % (kind.encode(), _dump(data)))

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _sleep(self, seconds: float) -> None:
        """Waits, and notices within moments that the client has gone."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.connection.settimeout(min(left, 0.05))
            try:
                if self.connection.recv(1, socket.MSG_PEEK) == b"":
                    raise ConnectionResetError
            except TimeoutError:
                continue
            finally:
                self.connection.settimeout(None)

    def _cut(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _fail(self, answer: Fail) -> None:
        kind = answer.kind or TYPES.get(answer.status, "api_error")
        body = {"type": "error", "error": {"type": kind, "message": answer.message}, "request_id": "req_failed"}
        headers = {"request-id": "req_failed", **answer.headers}
        if answer.retry_after is not None:
            headers["retry-after"] = f"{answer.retry_after:g}"
        self._send(answer.status, _dump(body) if answer.body is None else answer.body, headers)

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _events(message: Json) -> Iterator[Json]:
    """A message as the API streams it: texts in two halves, inputs as pieces of JSON."""
    usage = {**message["usage"], "output_tokens": 1}
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "usage": usage}}
    yield {"type": "ping"}
    for index, block in enumerate(message["content"]):
        yield {"type": "content_block_start", "index": index, "content_block": _empty(block)}
        for delta in _deltas(block):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": message["usage"]}
    yield {"type": "message_stop"}


def _empty(block: Json) -> Json:
    blank: Json = {"text": "", "thinking": "", "signature": "", "input": {}}
    return {key: blank.get(key, value) for key, value in block.items()}


def _deltas(block: Json) -> Iterator[Json]:
    if block["type"] == "text":
        for part in _halves(block["text"]):
            yield {"type": "text_delta", "text": part}
    elif block["type"] == "thinking":
        for part in _halves(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": part}
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif block["type"] == "tool_use":
        for part in ("", *_halves(json.dumps(block["input"]))):
            yield {"type": "input_json_delta", "partial_json": part}


def _halves(text: str) -> list[str]:
    middle = (len(text) + 1) // 2
    return [part for part in (text[:middle], text[middle:]) if part]


def _dump(value: Json) -> bytes:
    return json.dumps(value).encode()
