"""Writes finished recordings to the spool in a thread, and counts those that were lost."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from dataclasses import dataclass, field
from queue import SimpleQueue

from sessions.capture.endpoint.headers import Raw
from sessions.capture.endpoint.recording import MemoryBudget, Recording
from sessions.capture.endpoint.spool import Spool
from sessions.capture.engine import Ending
from sessions.text.engine.error_reason import reason_of

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Counts:
    """Since the server started."""

    forwarded: int = 0
    written: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    """Reasons as sentences, with their counts."""

    @property
    def lost_count(self) -> int:
        return self.lost.total()


class Recorder:
    def __init__(self, spool: Spool, *, budget: MemoryBudget | None = None) -> None:
        self.spool = spool
        self.counts = Counts()
        self._budget = budget or MemoryBudget()
        self._queue: SimpleQueue[Recording | threading.Event] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def begin(self, method: str, path: str, headers: Raw, *, is_recorded: bool) -> Recording:
        return Recording(method, path, headers, self._budget, is_recorded)

    def finish(self, recording: Recording) -> None:
        """Queues the recording. It is called in the event loop, so it must not block."""
        recording.end(Ending.LEFT, "Lucid ended before the answer did.")
        if not recording.is_recorded:
            return
        if recording.lost:
            self._lose(recording.lost)
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_all, name="recorder", daemon=True)
            self._thread.start()
        self._queue.put(recording)

    def drain(self, seconds: float) -> bool:
        """Waits until all finished recordings are written, but not longer than this."""
        if self._thread is None:
            return True
        written = threading.Event()
        self._queue.put(written)
        return written.wait(seconds)

    def _write_all(self) -> None:
        while True:
            item = self._queue.get()
            if isinstance(item, threading.Event):
                item.set()
            else:
                self._write(item)

    def _write(self, recording: Recording) -> None:
        try:
            self.spool.write(recording.exchange())
            self.counts.written += 1
        except OSError as error:
            reason = reason_of(error)
            self._lose(f"It could not be written ({reason}).")
        except Exception:
            # The thread must go on for the next recording.
            logger.exception("recording_failed")
            self._lose("Lucid failed to write it; the details are in the log.")
        finally:
            recording.release()

    def _lose(self, why: str) -> None:
        self.counts.lost[why] += 1
        logger.warning("recording_lost: %s", why)
