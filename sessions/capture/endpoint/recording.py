"""What is noted of one exchange while it passes: references to its bytes, within a budget that all share."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field

from sessions.capture.endpoint.headers import Raw
from sessions.capture.engine.exchange import (
    KEPT_OF_ANSWERS,
    KEPT_OF_REQUESTS,
    Ending,
    Exchange,
    kept,
)

MOST_OF_ONE = 64 * 1024 * 1024
"""Bytes of a request and its answer. The API takes 32 MB."""
MOST_OF_ALL = 256 * 1024 * 1024


class Budget:
    """Memory for recordings that are under way or wait to be written."""

    def __init__(self, limit: int = MOST_OF_ALL) -> None:
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
    """Fed in the loop of the server, finished there, and written by a thread."""

    method: str
    path: str
    headers: Raw
    budget: Budget
    wanted: bool = True
    """If not, it passes without a note."""
    most: int = MOST_OF_ONE
    at: float = field(default_factory=time.time)
    began: float = field(default_factory=time.perf_counter)
    status: int | None = None
    first_byte: float | None = None
    ended: float = 0.0
    ending: Ending = Ending.COMPLETE
    problem: str = ""
    size: int = 0
    lost: str = ""
    """Why it was given up."""
    _answer_headers: Raw = field(default_factory=list)
    _request: list[bytes] = field(default_factory=list)
    _answer: list[bytes] = field(default_factory=list)

    def sent(self, chunk: bytes) -> None:
        self._keep(self._request, chunk)

    def opened(self, status: int, headers: Raw) -> None:
        self.status, self._answer_headers = status, headers
        self.first_byte = time.perf_counter()

    def received(self, chunk: bytes) -> None:
        self._keep(self._answer, chunk)

    def end(self, ending: Ending, problem: str = "") -> None:
        """The first word counts: what ends because somebody left ends once more when it is cleared away."""
        if not self.ended:
            self.ending, self.problem, self.ended = ending, problem, time.perf_counter()

    def release(self) -> None:
        self.budget.give_back(self.size)
        self.size = 0
        self._request, self._answer = [], []

    def exchange(self) -> Exchange:
        first = None if self.first_byte is None else 1000 * (self.first_byte - self.began)
        return Exchange(
            name=f"{int(self.at * 1000):013d}-{secrets.token_hex(8)}",
            at=int(self.at * 1000),
            method=self.method,
            path=self.path,
            headers=kept(self.headers, KEPT_OF_REQUESTS),
            request=b"".join(self._request),
            status=self.status,
            answer_headers=kept(self._answer_headers, KEPT_OF_ANSWERS),
            answer=b"".join(self._answer),
            first_byte_ms=first,
            duration_ms=1000 * (self.ended - self.began),
            ended=self.ending,
            problem=self.problem,
        )

    def _keep(self, kept: list[bytes], chunk: bytes) -> None:
        if self.lost or not self.wanted:
            return
        if self.size + len(chunk) > self.most:
            self._give_up("It is larger than what is recorded of one request.")
        elif not self.budget.take(len(chunk)):
            self._give_up("Too much was under way at once to record all of it.")
        else:
            self.size += len(chunk)
            kept.append(chunk)

    def _give_up(self, why: str) -> None:
        self.lost = why
        self.release()
