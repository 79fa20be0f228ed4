"""The client in a terminal: keys go in, what it shows is read and thrown away. What it sends says how far it is."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

from tests.truth.client import NICE, PATIENCE, Home

ROWS, COLUMNS = 50, 160
ENTER, ESCAPE, UP, CONTROL_U = "\r", "\x1b", "\x1b[A", "\x15"
PROMPTS = (">", "❯")
"""One of them stands before the line to type in."""
MOMENT = 0.3
"""Seconds in which a terminal that shows nothing new has come to rest."""


class Terminal:
    def __init__(self, home: Home, *arguments: str) -> None:
        self._home = home
        self._arguments = arguments
        self.shown = b""
        self._changed = time.monotonic()
        self._ended = threading.Event()

    def __enter__(self) -> Terminal:
        command = [*NICE, str(self._home.command), *self._arguments]
        self._pid, self._side = pty.fork()
        if self._pid == 0:  # pragma: no cover - the child becomes the client
            os.chdir(self._home.work)
            os.execvpe(command[0], command, self._home.environment())
        fcntl.ioctl(self._side, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._ended.is_set():
            os.kill(self._pid, signal.SIGTERM)
        if not self._ended.wait(10):
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        self._reader.join(10)
        os.close(self._side)

    def press(self, keys: str) -> None:
        changed = self._changed
        os.write(self._side, keys.encode())
        self.until(lambda: self._changed > changed, most=5)
        self.rest()

    def type(self, words: str) -> None:
        """And send them."""
        self.press(words)
        self.press(ENTER)

    def rest(self) -> None:
        """Until nothing new has been shown for a moment."""
        time.sleep(MOMENT)
        self.until(lambda: time.monotonic() - self._changed > MOMENT, most=5)

    def until(self, true: Callable[[], bool], most: float = PATIENCE) -> bool:
        end = time.monotonic() + most
        while time.monotonic() < end and not self._ended.is_set():
            if true():
                return True
            time.sleep(0.05)
        return true()

    def words(self) -> str:
        """What was shown, without colours and moves of the cursor."""
        return re.sub(r"\x1b(\[[0-9;?<>=]*[A-Za-z]|\][^\x07]*\x07|.)", " ", self.shown.decode("utf-8", "replace"))

    def _read(self) -> None:
        while True:
            try:
                select.select([self._side], [], [])
                new = os.read(self._side, 65_536)
            except OSError:  # the other side is closed
                break
            if not new:
                break
            self.shown = (self.shown + new)[-200_000:]
            self._changed = time.monotonic()
        self._ended.set()


@contextmanager
def terminal(home: Home, *arguments: str) -> Iterator[Terminal]:
    """As soon as it takes keys, until it was asked to leave and did."""
    with Terminal(home, *arguments) as opened:
        opened.until(lambda: len(opened.shown) > 500 and any(sign in opened.words() for sign in PROMPTS))
        opened.rest()
        yield opened
        opened.rest()
        opened.type("/exit")
        opened.until(lambda: False, most=10)
