"""One at a time, and of those who come meanwhile only the newest waits: its stretch contains the others'."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Request = TypeVar("Request")


@dataclass(frozen=True)
class RequestQueue(Generic[Request]):
    busy: bool = False
    next: Request | None = None

    def add(self, request: Request) -> tuple[RequestQueue[Request], Request | None]:
        """And what is to be started now, if anything."""
        if self.busy:
            return RequestQueue(True, request), None
        return RequestQueue(True, None), request

    def finish(self) -> tuple[RequestQueue[Request], Request | None]:
        """The one under way is over. And what is to be started now."""
        return RequestQueue(self.next is not None, None), self.next
