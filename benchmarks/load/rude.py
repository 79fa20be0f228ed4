"""Clients that mean harm: they begin what they never end, or send what nobody asked for. Each is bounded in count and
time, and says what became of its connections; beside them, the owner goes on asking."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from benchmarks.load.clients import Answers, ask_all

MEGABYTE = 1024 * 1024
SLOW_SECONDS = 0.5
"""Between two bytes of a slow body."""


@dataclass(slots=True)
class Outcome:
    tried: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    """How they ended: the status that came, `closed` without one, or `held` to the end."""
    sent: int = 0
    """Bytes of bodies that the server took."""
    beside: Answers = field(default_factory=Answers)
    """What the owner got meanwhile."""

    @property
    def held(self) -> int:
        return self.answers["held"]


Attack = Callable[[int, float, Outcome], Awaitable[None]]


async def half_headers(port: int, ends: float, outcome: Outcome) -> None:
    await _hold(port, b"GET / HTTP/1.1\r\nhost: 127.0", ends, outcome)


async def silence(port: int, ends: float, outcome: Outcome) -> None:
    await _hold(port, b"", ends, outcome)


async def slow_body(port: int, ends: float, outcome: Outcome) -> None:
    """As somebody who has no cookie: a page that takes a form, and a byte now and then."""
    await _hold(port, _head(port, "/runs/start/", 100_000), ends, outcome, drip=b"x")


async def slow_capture(port: int, ends: float, outcome: Outcome) -> None:
    await _hold(port, _head(port, "/capture/v1/messages", 100_000), ends, outcome, drip=b"x")


async def foreign_body(port: int, ends: float, outcome: Outcome) -> None:
    await _flood(port, "/", 400 * MEGABYTE, ends, outcome)


async def foreign_capture(port: int, ends: float, outcome: Outcome) -> None:
    await _flood(port, "/capture/v1/messages", 400 * MEGABYTE, ends, outcome)


async def attacked(port: int, attack: Attack, *, count: int, seconds: float, cookie: str) -> Outcome:
    """So many attackers at once, and the owner beside them."""
    outcome = Outcome(tried=count)
    ends = time.perf_counter() + seconds
    owner = asyncio.create_task(ask_all(port, ["/sessions/", "/runs/"], clients=1, seconds=seconds, cookie=cookie))
    await asyncio.gather(*(attack(port, ends, outcome) for _ in range(count)))
    outcome.beside = await owner
    return outcome


def _head(port: int, path: str, size: int, host: str = "127.0.0.1") -> bytes:
    return f"POST {path} HTTP/1.1\r\nhost: {host}:{port}\r\ncontent-length: {size}\r\n\r\n".encode()


async def _hold(port: int, start: bytes, ends: float, outcome: Outcome, drip: bytes = b"") -> None:
    try:
        async with asyncio.timeout(max(0.1, ends - time.perf_counter())):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(start)
            answering = asyncio.ensure_future(reader.read(64))
            while drip and not answering.done():
                await asyncio.wait([answering], timeout=SLOW_SECONDS)
                writer.write(drip)
                outcome.sent += len(drip)
            outcome.answers[_status(await answering)] += 1
            writer.close()
    except TimeoutError:
        outcome.answers["held"] += 1
    except OSError:
        outcome.answers["closed"] += 1


async def _flood(port: int, path: str, size: int, ends: float, outcome: Outcome) -> None:
    """Sends on whatever is answered, as somebody does who does not listen."""
    answering: asyncio.Future[bytes] | None = None
    try:
        async with asyncio.timeout(max(0.1, ends - time.perf_counter())):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(_head(port, path, size, host="evil.example"))
            answering = asyncio.ensure_future(reader.read(64))
            for _ in range(size // MEGABYTE):
                writer.write(b"x" * MEGABYTE)
                await writer.drain()
                outcome.sent += MEGABYTE
    except TimeoutError:
        outcome.answers["held"] += 1
        return
    except OSError:
        pass  # closed under what was sent; whether it was answered first follows
    if answering is None:
        outcome.answers["closed"] += 1
        return
    try:
        outcome.answers[_status(await answering)] += 1
    except OSError:
        outcome.answers["closed"] += 1


def _status(answer: bytes) -> str:
    return answer.split()[1].decode() if answer.startswith(b"HTTP/1.1 ") else "closed"
