"""The handler alone, with views of its own: what is sent, in which thread things happen, and who leaves when."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import override_settings
from django.urls import path

from inspector.pages.pool import Pages

threads: list[str] = []
pieces_made: list[int] = []


def plain(request: HttpRequest) -> HttpResponse:
    _note()
    return HttpResponse(b"said: " + request.body)


def crashing(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a fault of ours")


async def _endless() -> AsyncIterator[bytes]:
    while True:
        pieces_made.append(1)
        yield b"more "
        await asyncio.sleep(0)


async def _breaking() -> AsyncIterator[bytes]:
    yield b"one "
    raise RuntimeError("in the middle")


def streaming(request: HttpRequest) -> HttpResponseBase:
    return StreamingHttpResponse(_endless() if request.GET else _breaking())


urlpatterns = [path("plain/", plain), path("crash/", crashing), path("stream/", streaming)]


def handler500(request: HttpRequest) -> HttpResponse:
    return HttpResponse(b"sorry", status=500)


def _note(**_: object) -> None:
    threads.append(threading.current_thread().name)


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    threads.clear()
    pieces_made.clear()
    request_started.connect(_note)
    request_finished.connect(_note)
    yield
    request_started.disconnect(_note)
    request_finished.disconnect(_note)


def sent_by(path: str, query: str = "", body: bytes = b"", leave_after: int = 0) -> list[dict[str, Any]]:
    """What the handler sends. `leave_after`: so many messages, then the client goes."""
    sent: list[dict[str, Any]] = []
    scope = {"type": "http", "method": "POST", "path": path, "query_string": query.encode(), "headers": []}

    async def run() -> None:
        gone, received = asyncio.Event(), [{"type": "http.request", "body": body}]

        async def receive() -> dict[str, Any]:
            if received:
                return received.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)
            if leave_after and len(sent) >= leave_after:
                gone.set()

        await asyncio.wait_for(Pages()(scope, receive, send), 20)
        await asyncio.sleep(0.1)  # the thread is given back after the answer

    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[]):
        asyncio.run(run())
    return sent


def test_the_view_and_both_signals_share_one_thread() -> None:
    start, end = sent_by("/plain/", body=b"a word")
    assert start["status"] == 200
    assert end["body"] == b"said: a word"
    assert len(threads) == 3
    assert len(set(threads)) == 1
    assert threads[0] != threading.main_thread().name


def test_a_fault_is_answered_and_the_request_is_over() -> None:
    start, end = sent_by("/crash/")
    assert (start["status"], end["body"]) == (500, b"sorry")
    assert len(threads) == 2


def test_a_stream_ends_when_its_reader_leaves() -> None:
    sent = sent_by("/stream/", "endless=1", leave_after=5)
    assert sent[0]["status"] == 200
    assert all(message["body"] == b"more " for message in sent[1:])
    made = len(pieces_made)
    assert 4 <= made < 10_000
    assert len(threads) == 2


def test_a_stream_that_breaks_is_not_taken_for_a_whole_one() -> None:
    with pytest.raises(RuntimeError, match="in the middle"):
        sent_by("/stream/")
    assert len(threads) == 2
