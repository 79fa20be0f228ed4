"""The queue without Redis: messages as files in the home, looked for often enough that a click starts work at once.

A message stays on disk until its task is done. Whoever works on it holds a lock on its file, which the system lets go
of when the process ends, however it ends: then the next worker takes it.

A message has its name only when it is whole, so that a full disk leaves nothing half-written; one that cannot be read
all the same is removed, because it is not the truth: the row of its run is, and gets another. Which queue an exchange
leads to is not on disk at all: every process that sends or takes declares its queue first."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import IO, Any
from uuid import uuid4

from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem, virtual
from kombu.utils.json import dumps, loads

from inspector.structured import get_logger

SCHEME = "lucid-files"
LONGEST_WAIT = 0.5
UNFINISHED = ".unfinished"
LEFT_SECONDS = 3600
"""A file that is still unfinished by then was left by a killed process."""

logger = get_logger(__name__)


class Channel(filesystem.Channel):
    # A message that is not acknowledged is still on disk; writing it again would duplicate it.
    do_restore = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._held: dict[str, tuple[Path, IO[bytes]]] = {}
        self._waiting = Path(self.data_folder_in)
        self._taken = self._waiting.with_name("taken")
        self._taken.mkdir(parents=True, exist_ok=True)
        for left in self._waiting.glob(f"*{UNFINISHED}"):
            with suppress(FileNotFoundError):
                if time.time() - left.stat().st_mtime > LEFT_SECONDS:
                    left.unlink()

    def get_table(self, exchange: str) -> Any:
        return virtual.Channel.get_table(self, exchange)

    def _queue_bind(self, *args: Any, **kwargs: Any) -> None:
        """The process remembers the binding, which is enough."""

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # the two bases disagree
        name = f"{time.monotonic_ns() // 1_000_000}_{uuid4()}.{queue}.msg"
        unfinished = self._waiting / f"{name}{UNFINISHED}"
        try:
            with unfinished.open("wb", buffering=0) as file:
                write_whole(file, dumps(payload).encode())
            unfinished.replace(self._waiting / name)
        except OSError as error:
            with suppress(OSError):  # the next process that starts removes it
                unfinished.unlink(missing_ok=True)
            raise ChannelError(f"{error.strerror}: {self._waiting}") from error

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        suffix = f".{queue}.msg"
        for folder in (self._waiting, self._taken):
            for name in sorted(os.listdir(folder)):
                if name.endswith(suffix) and (message := self._take(folder / name)):
                    return message
        raise Empty

    def _take(self, path: Path) -> Any:
        """The message, unless another process is writing it, working on it or has just finished it."""
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return None
        held = self._taken / path.name
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.fstat(file.fileno()).st_nlink:
                file.close()
                return None
            message = loads(file.read().decode())
            tag = message["properties"]["delivery_tag"]
            try:
                path.replace(held)
            except FileNotFoundError:
                raise
            except OSError as error:  # the disk has no room for the new name; the lock holds the message all the same
                logger.info("message_not_moved", file=path.name, error=error.strerror)
                held = path
        except (BlockingIOError, FileNotFoundError):
            file.close()
            return None
        except (ValueError, KeyError, TypeError) as error:
            logger.warning("message_unreadable", file=path.name, error=str(error), done="removed; its run gets another")
            path.unlink(missing_ok=True)
            file.close()
            return None
        self._held[tag] = held, file
        return message

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        super().basic_ack(delivery_tag, multiple)
        self._acknowledge(delivery_tag)

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:
        super().basic_reject(delivery_tag, requeue)
        self._acknowledge(delivery_tag)

    def _acknowledge(self, delivery_tag: str) -> None:
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
        """Waits briefly, because the worker asks for long waits and notices that it should stop only between them."""
        super().drain_events(connection, timeout=min(timeout or LONGEST_WAIT, LONGEST_WAIT), **kwargs)


def write_whole(file: IO[bytes], data: bytes) -> None:
    """Writes all bytes and syncs them to disk. An unbuffered file may write only part of them, and says how many."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]
    os.fsync(file.fileno())


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:{Transport.__name__}"
TRANSPORT_ALIASES["redis"] = TRANSPORT_ALIASES["rediss"] = "inspector.redis_queue:Transport"
