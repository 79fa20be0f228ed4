"""One request at a time. Of those that come meanwhile only the newest waits: its stretch contains the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Request = TypeVar("Request")


@dataclass(frozen=True)
class RequestQueue(Generic[Request]):
    busy: bool = False
    next: Request | None = None

    def add(self, request: Request) -> tuple[RequestQueue[Request], Request | None]:
        """The new queue, and the request to start now, if any."""
        if self.busy:
            return RequestQueue(True, request), None
        return RequestQueue(True, None), request

    def finish(self) -> tuple[RequestQueue[Request], Request | None]:
        """Ends the active request. Returns the new queue, and the request to start now, if any."""
        return RequestQueue(self.next is not None, None), self.next
