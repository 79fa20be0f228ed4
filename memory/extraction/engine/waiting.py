"""One at a time, and of those who come meanwhile only the newest waits: its stretch contains the others'."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Request = TypeVar("Request")


@dataclass(frozen=True)
class Waiting(Generic[Request]):
    busy: bool = False
    next: Request | None = None

    def asked(self, request: Request) -> tuple[Waiting[Request], Request | None]:
        """And what is to be started now, if anything."""
        if self.busy:
            return Waiting(True, request), None
        return Waiting(True, None), request

    def ended(self) -> tuple[Waiting[Request], Request | None]:
        """The one under way is over. And what is to be started now."""
        return Waiting(self.next is not None, None), self.next
