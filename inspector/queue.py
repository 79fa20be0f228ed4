"""The queue without Redis: messages as files in the home, looked for often enough that a click starts work at once.

A message stays on disk until its task is done. Whoever works on it holds a lock on its file, which the system lets go
of when the process ends, however it ends: then the next worker takes it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from queue import Empty
from typing import IO, Any

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import loads

SCHEME = "lucid-files"
LONGEST_WAIT = 0.5


class Channel(filesystem.Channel):
    # What is not acknowledged is still there; writing it once more would double it.
    do_restore = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._held: dict[str, tuple[Path, IO[bytes]]] = {}
        self._waiting = Path(self.data_folder_in)
        self._taken = self._waiting.with_name("taken")
        self._taken.mkdir(parents=True, exist_ok=True)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        suffix = f".{queue}.msg"
        for folder in (self._waiting, self._taken):
            for name in sorted(os.listdir(folder)):
                if name.endswith(suffix) and (message := self._take(folder / name)):
                    return message
        raise Empty

    def _take(self, path: Path) -> Any:
        """The message, unless somebody else writes it, works on it or has just done so."""
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return None
        held = self._taken / path.name
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            data = file.read()
            if not data or not os.fstat(file.fileno()).st_nlink:
                file.close()
                return None
            path.replace(held)
        except (BlockingIOError, FileNotFoundError):
            file.close()
            return None
        message = loads(data.decode())
        self._held[message["properties"]["delivery_tag"]] = held, file
        return message

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        super().basic_ack(delivery_tag, multiple)
        self._done(delivery_tag)

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:
        super().basic_reject(delivery_tag, requeue)
        self._done(delivery_tag)

    def _done(self, delivery_tag: str) -> None:
        if delivery_tag in self._held:
            path, file = self._held.pop(delivery_tag)
            path.unlink(missing_ok=True)
            file.close()

    def close(self) -> None:
        super().close()
        while self._held:
            _, (_, file) = self._held.popitem()
            file.close()


class Transport(filesystem.Transport):
    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None, **kwargs: Any) -> None:
        """The worker notices that it should stop only between two waits, and asks for long ones."""
        super().drain_events(connection, timeout=min(timeout or LONGEST_WAIT, LONGEST_WAIT), **kwargs)


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:{Transport.__name__}"
