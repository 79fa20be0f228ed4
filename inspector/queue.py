"""The queue without Redis: messages as files in the home, looked for often enough that a click starts work at once."""

from __future__ import annotations

from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem

SCHEME = "lucid-files"
LONGEST_WAIT = 0.5


class Transport(filesystem.Transport):
    def drain_events(self, connection: Any, timeout: float | None = None, **kwargs: Any) -> None:
        """The worker notices that it should stop only between two waits, and asks for long ones."""
        super().drain_events(connection, timeout=min(timeout or LONGEST_WAIT, LONGEST_WAIT), **kwargs)


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:{Transport.__name__}"
