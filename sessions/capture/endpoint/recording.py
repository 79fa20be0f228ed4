"""Collects the bytes of one exchange while it passes, within a memory budget that all share."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field

from sessions.capture.endpoint.headers import Raw
from sessions.capture.engine.exchange import ANSWER_HEADERS, REQUEST_HEADERS, Ending, Exchange, select_headers

MAX_RECORDING_BYTES = 64 * 1024 * 1024
"""Bytes of a request and its answer. The API accepts requests of 32 MB."""
MAX_TOTAL_BYTES = 256 * 1024 * 1024


class MemoryBudget:
    """Memory for recordings that are active or wait to be written."""

    def __init__(self, limit: int = MAX_TOTAL_BYTES) -> None:
        self._left = limit
        self._lock = threading.Lock()

    def take(self, size: int) -> bool:
        with self._lock:
            if size > self._left:
                return False
            self._left -= size
            return True

    def give_back(self, size: int) -> None:
        with self._lock:
            self._left += size


@dataclass(slots=True)
class Recording:
    """Filled and finished in the event loop, then written by a thread."""

    method: str
    path: str
    headers: Raw
    budget: MemoryBudget
    is_recorded: bool = True
    """Otherwise nothing is kept."""
    max_bytes: int = MAX_RECORDING_BYTES
    at: float = field(default_factory=time.time)
    started: float = field(default_factory=time.perf_counter)
    status: int | None = None
    first_byte: float | None = None
    ended: float = 0.0
    ending: Ending = Ending.COMPLETE
    problem: str = ""
    size: int = 0
    lost: str = ""
    """Why the recording was given up."""
    _answer_headers: Raw = field(default_factory=list)
    _request: list[bytes] = field(default_factory=list)
    _answer: list[bytes] = field(default_factory=list)

    def add_request_chunk(self, chunk: bytes) -> None:
        self._keep(self._request, chunk)

    def start_answer(self, status: int, headers: Raw) -> None:
        self.status, self._answer_headers = status, headers
        self.first_byte = time.perf_counter()

    def add_answer_chunk(self, chunk: bytes) -> None:
        self._keep(self._answer, chunk)

    def end(self, ending: Ending, problem: str = "") -> None:
        """Sets the ending. Later calls are ignored, because cleaning up ends a recording once more."""
        if not self.ended:
            self.ending, self.problem, self.ended = ending, problem, time.perf_counter()

    def release(self) -> None:
        self.budget.give_back(self.size)
        self.size = 0
        self._request, self._answer = [], []

    def exchange(self) -> Exchange:
        first = None if self.first_byte is None else 1000 * (self.first_byte - self.started)
        return Exchange(
            name=f"{int(self.at * 1000):013d}-{secrets.token_hex(8)}",
            at=int(self.at * 1000),
            method=self.method,
            path=self.path,
            headers=select_headers(self.headers, REQUEST_HEADERS),
            request=b"".join(self._request),
            status=self.status,
            answer_headers=select_headers(self._answer_headers, ANSWER_HEADERS),
            answer=b"".join(self._answer),
            first_byte_ms=first,
            duration_ms=1000 * (self.ended - self.started),
            ended=self.ending,
            problem=self.problem,
        )

    def _keep(self, chunks: list[bytes], chunk: bytes) -> None:
        if self.lost or not self.is_recorded:
            return
        if self.size + len(chunk) > self.max_bytes:
            self._give_up("It is larger than what is recorded of one request.")
        elif not self.budget.take(len(chunk)):
            self._give_up("Too much was under way at once to record all of it.")
        else:
            self.size += len(chunk)
            chunks.append(chunk)

    def _give_up(self, why: str) -> None:
        self.lost = why
        self.release()
