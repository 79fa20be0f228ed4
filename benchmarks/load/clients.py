"""Readers with kept connections: each asks for one page after the other until the time is over."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

PATIENCE = 60.0
"""Seconds for one answer."""
REFUSED = 400
ASKED_MOST = 200_000
"""Requests of one run, whatever its time."""


@dataclass(slots=True)
class Answers:
    """What all clients of a run got."""

    seconds: float = 0.0
    taken: list[float] = field(default_factory=list)
    """Seconds of each answer."""
    bytes: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, str] = (0.0, "")

    @property
    def requests(self) -> int:
        return len(self.taken) + self.errors.total()

    @property
    def rate(self) -> float:
        return len(self.taken) / self.seconds if self.seconds else 0.0

    def at(self, share: float) -> float:
        """The seconds within which that share of all answers came."""
        ordered = sorted(self.taken)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0

    def note(self, path: str, status: int, size: int, seconds: float) -> None:
        if status >= REFUSED:
            self.errors[f"{status} {path}"] += 1
            return
        self.taken.append(seconds)
        self.bytes += size
        self.slowest = max(self.slowest, (seconds, path))


async def ask_all(port: int, paths: Sequence[str], *, clients: int, seconds: float, cookie: str = "") -> Answers:
    request, began = Answers(), time.perf_counter()
    ends = began + seconds
    # All at once would measure how fast connections are made, and nothing else.
    pause = min(1.0, seconds / 10) / max(1, clients)
    await asyncio.gather(
        *(_ask(port, paths, ends, cookie, Random(number), request, pause * number) for number in range(clients))
    )
    request.seconds = time.perf_counter() - began
    return request


async def _ask(
    port: int, paths: Sequence[str], ends: float, cookie: str, rng: Random, prompt: Answers, pause: float
) -> None:
    await asyncio.sleep(pause)
    connection: Connection | None = None
    while time.perf_counter() < ends and prompt.requests < ASKED_MOST:
        path, began = rng.choice(paths), time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE):
                connection = connection or await Connection.open(port, cookie)
                status, size = await connection.get(path)
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            prompt.errors[f"{type(error).__name__} {path}"] += 1
            if connection is not None:
                connection.close()
            connection = None
            await asyncio.sleep(0.1)  # a server that refuses everything is not to be asked in a tight loop
            continue
        prompt.note(path, status, size, time.perf_counter() - began)
    if connection is not None:
        connection.close()


class Connection:
    """As little of HTTP as it takes: the client shares the machine with the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, end: bytes) -> None:
        self._reader = reader
        self._writer = writer
        self._end = end

    @classmethod
    async def open(cls, port: int, cookie: str) -> Connection:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        headers = f" HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n" + (f"cookie: {cookie}\r\n" if cookie else "")
        return cls(reader, writer, f"{headers}\r\n".encode())

    async def get(self, path: str) -> tuple[int, int]:
        """The status and the bytes of the body."""
        self._writer.write(b"GET " + path.encode() + self._end)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        status = int(head[0].split()[1])
        headers = dict(line.split(b": ", 1) for line in head[1:] if b": " in line)
        if headers.get(b"transfer-encoding") == b"chunked":
            return status, await self._chunks()
        size = int(headers.get(b"content-length", b"0"))
        await self._reader.readexactly(size)
        return status, size

    async def _chunks(self) -> int:
        whole = 0
        while size := int(await self._reader.readline(), 16):
            await self._reader.readexactly(size + 2)
            whole += size
        await self._reader.readline()
        return whole

    def close(self) -> None:
        self._writer.close()
