"""Forwards requests to the upstream and answers to the client as they arrive, and records both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import TYPE_CHECKING

from inspector.web.body import BodyError, Receive, Scope, Send
from sessions.capture.endpoint.headers import has_body, request_headers
from sessions.capture.endpoint.recorder import Recorder
from sessions.capture.endpoint.recording import Recording
from sessions.capture.endpoint.refusals import Refusal, make_unreachable_refusal, refuse, send_refusal
from sessions.capture.endpoint.upstream import Upstream
from sessions.capture.engine import Ending

if TYPE_CHECKING:
    from sessions.capture.endpoint.connections import Connections, UpstreamAnswer

PREFIX = "/capture"
RECORDED = ("POST", "/v1/messages")
"""Requests to a model. Others are forwarded but not recorded."""
LOOP = Refusal(
    508, "api_error", "LUCID_CAPTURE_UPSTREAM is this Lucid itself. Set it to the API that requests shall go to."
)


class ClientGoneError(Exception):
    """The client closed the connection."""


class Proxy:
    """An ASGI application for the paths below /capture."""

    def __init__(self, upstream: Upstream, recorder: Recorder) -> None:
        self.upstream = upstream
        self.recorder = recorder
        self._connections: Connections | None = None
        self._connecting = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host, port = scope.get("server") or ("", 0)
        if self.upstream.is_at(host, port or 0):
            await refuse(receive, send, LOOP)
            return
        self.recorder.counts.forwarded += 1
        path = scope["path"].removeprefix(PREFIX)
        is_recorded = (scope["method"], path.rstrip("/")) == RECORDED
        recording = self.recorder.begin(scope["method"], path, scope["headers"], is_recorded=is_recorded)
        try:
            upload = _Upload(receive, recording, expected=has_body(scope["headers"]))
            await _forward_until_client_leaves(self._forward(scope, upload, send, recording), upload, recording)
        finally:
            self.recorder.finish(recording)

    async def _forward(self, scope: Scope, upload: _Upload, send: Send, recording: Recording) -> None:
        try:
            connections = self._connections or await self._connect()
        except OSError as error:
            # Certificates named in the environment cannot be read.
            await self._report_error(error, upload, send, recording)
            return
        from sessions.capture.endpoint.connections import BrokenOffError, UnreachableError

        headers = request_headers(scope["headers"], self.upstream.netloc.encode())
        try:
            answer = await connections.open(scope["method"], self._target(scope), headers, upload.chunks())
        except ClientGoneError:
            recording.end(Ending.LEFT, "The client went away while it sent its request.")
            return
        except BodyError:
            recording.end(Ending.LEFT, "The client did not come to the end of its request.")
            raise
        except UnreachableError as error:
            await self._report_error(error, upload, send, recording)
            return
        try:
            await _pass_back(answer, send, recording)
            recording.end(Ending.COMPLETE)
        except BrokenOffError:
            # Without an end of the body the server closes the connection: the client sees that the answer is cut.
            recording.end(Ending.CUT, "The upstream broke off in the middle of its answer.")
        finally:
            await answer.close()

    async def _report_error(self, error: Exception, upload: _Upload, send: Send, recording: Recording) -> None:
        """Reports that the upstream did not answer, after the client has sent its request: many do not read before."""
        refusal = make_unreachable_refusal(self.upstream, error)
        try:
            await upload.finish()
        except ClientGoneError:
            recording.end(Ending.LEFT, "The client went away while it sent its request.")
            return
        recording.end(Ending.UNREACHABLE, refusal.sentence)
        await send_refusal(send, refusal)

    async def _connect(self) -> Connections:
        async with self._connecting:
            if self._connections is None:
                self._connections = await asyncio.to_thread(_make_connections, self.upstream)
            return self._connections

    def _target(self, scope: Scope) -> bytes:
        path = self.upstream.path.encode() + scope["raw_path"].removeprefix(PREFIX.encode())
        query = scope["query_string"]
        return (path or b"/") + (b"?" + query if query else b"")


def _make_connections(upstream: Upstream) -> Connections:
    from sessions.capture.endpoint.connections import Connections

    return Connections(upstream)


async def _pass_back(answer: UpstreamAnswer, send: Send, recording: Recording) -> None:
    recording.start_answer(answer.status, answer.headers)
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
    async for chunk in answer.chunks():
        recording.add_answer_chunk(chunk)
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


class _Upload:
    """The body of the request. The reader sets the pace."""

    def __init__(self, receive: Receive, recording: Recording, *, expected: bool) -> None:
        self._receive = receive
        self._recording = recording
        self._expected = expected
        self._whole = asyncio.Event()

    async def chunks(self) -> AsyncIterator[bytes]:
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            chunk = message.get("body", b"")
            if chunk and self._expected:
                self._recording.add_request_chunk(chunk)
                yield chunk
            if not message.get("more_body", False):
                self._whole.set()
                return

    async def finish(self) -> None:
        while not self._whole.is_set():
            async for _ in self.chunks():
                pass

    async def wait_for_disconnect(self) -> None:
        """Returns when the client has disconnected after sending its body. Before that, `chunks` notices."""
        await self._whole.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass


async def _forward_until_client_leaves(forward: Awaitable[None], upload: _Upload, recording: Recording) -> None:
    """Forwards the request, and stops if the client disconnects."""
    forwarding = asyncio.ensure_future(forward)
    leaving = asyncio.ensure_future(upload.wait_for_disconnect())
    try:
        await asyncio.wait((forwarding, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not forwarding.done():
            recording.end(Ending.LEFT, "The client went away before the answer was complete.")
    finally:
        leaving.cancel()
        forwarding.cancel()
        await asyncio.gather(forwarding, leaving, return_exceptions=True)
    if not forwarding.cancelled():
        forwarding.result()
