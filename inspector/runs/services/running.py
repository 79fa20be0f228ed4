"""What work sees of its own run: it says how far it is and what it spent, and hears when it must stop.

Nothing here waits for the database. What is said is kept in memory and written now and then by the pulse of the run,
so that work may say something for each of a million things."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from inspector.runs.models import Run
from inspector.runs.selectors.kills import kill_note
from inspector.runs.services.stops import Stopped
from inspector.web.clock import now_ms
from sessions.text.engine.storable import storable_text

LAST_TURNS = 30
LONGEST_TEXT = 2000
MOST_FILES = 20


class Running:
    def __init__(self, run: Run) -> None:
        self.run_id: int = run.pk
        self.worker: str = run.worker
        self.kind: str = run.kind
        self.target: str = run.target
        self.paid = False
        """Whether it has asked a model: what was sent is billed, whether somebody waits for the answer or not."""
        self.seen = False
        """Whether others can see the run."""
        self._kill_note = kill_note(run.pk, run.created_at)
        self.writing = threading.Lock()
        """Held from taking what was said until it is written, so that the end of the run can wait for it."""
        self._lock = threading.Lock()
        self._stop: type[Stopped] | None = None
        self._stopped = threading.Event()
        self._closers: list[Callable[[], None]] = []
        self._unwritten: dict[str, Any] = {}
        self._turns: list[dict[str, Any]] = []
        self._turn_count = 0
        self._spent = {"input_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0, "output_tokens": 0}
        self._cost: float | None = None
        self._phase = ""
        self._done = 0
        self._counts: dict[str, int] = {}

    # --- stopping -------------------------------------------------------------------------------------------------
    def check(self) -> None:
        """Raises Killed or Interrupted when the work must not go on. Costs nothing: call it as often as you like, and
        at least twice a second."""
        if self._stop is not None:
            raise self._stop

    def noted(self) -> bool:
        """Whether a kill was noted beside the database, which may be busy."""
        return self._kill_note is not None and self._kill_note.exists()

    def wait(self, seconds: float) -> None:
        """Sleeps, but not through a kill."""
        self._stopped.wait(seconds)
        self.check()

    @contextmanager
    def closing(self, close: Callable[[], None]) -> Iterator[None]:
        """Calls `close` from another thread when the work must stop while it waits for something: a connection, a
        process. What that raises in the waiting thread counts as the stop."""
        with self._lock:
            self._closers.append(close)
        try:
            if self._stop is not None:
                close()
            yield
        except Exception:
            self.check()
            raise
        finally:
            with self._lock:
                self._closers.remove(close)
        self.check()

    def stop(self, why: type[Stopped]) -> None:
        """From any thread. The first reason counts."""
        with self._lock:
            if self._stop is not None:
                return
            self._stop = why
            closers = list(self._closers)
        self._stopped.set()
        for close in closers:
            close()

    # --- telling --------------------------------------------------------------------------------------------------
    def phase(self, name: str, *, total: int | None = None, unit: str = "") -> None:
        """What is being done now. The count starts again from zero."""
        with self._lock:
            self._phase, self._done = name, 0
            self._unwritten |= {"phase": name[:80], "done": 0, "total": total, "unit": unit, "phase_at": now_ms()}
        self.check()

    def enter(self, name: str, *, unit: str = "") -> None:
        """The phase, unless it is in it already: for work that tells its phase with each step."""
        if name != self._phase:
            self.phase(name, unit=unit)

    def progress(self, done: int, *, total: int | None = None, **counts: int) -> None:
        """How far it is, with further counts by name."""
        with self._lock:
            self._done = done
            self._counts |= counts
            self._unwritten |= {"done": done, "progress": dict(self._counts)}
            if total is not None:
                self._unwritten["total"] = total
        self.check()

    def advance(self, by: int = 1, **counts: int) -> None:
        self.progress(self._done + by, **counts)

    def turn(self, text: str, *, tools: Mapping[str, int] | None = None, files: Sequence[str] = ()) -> None:
        """One answer of a model: what it said, how often it called which tool, and which files it touched."""
        with self._lock:
            self._turn_count += 1
            told = {
                "number": self._turn_count,
                "at": now_ms(),
                "text": storable_text(text[:LONGEST_TEXT]),
                "tools": dict(tools or {}),
                "files": list(files)[:MOST_FILES],
            }
            self._turns = [*self._turns, told][-LAST_TURNS:]
            self._unwritten |= {"turns": self._turns, "turn_count": self._turn_count}

    def retell(self, text: str, *, tools: Mapping[str, int] | None = None) -> None:
        """The latest turn again: it has gone on, or is over."""
        with self._lock:
            assert self._turns
            told = {**self._turns[-1], "text": storable_text(text[:LONGEST_TEXT]), "tools": dict(tools or {})}
            self._turns = [*self._turns[:-1], told]
            self._unwritten["turns"] = self._turns

    def spend(
        self,
        *,
        model: str = "",
        input_tokens: int = 0,
        cache_read: int = 0,
        cache_write: int = 0,
        output_tokens: int = 0,
        cost: float | None = None,
    ) -> None:
        """Adds what one request took. A request without a known price leaves the cost as it is."""
        with self._lock:
            self._spent["input_tokens"] += input_tokens
            self._spent["cache_read_tokens"] += cache_read
            self._spent["cache_write_tokens"] += cache_write
            self._spent["output_tokens"] += output_tokens
            if cost is not None:
                self._cost = (self._cost or 0.0) + cost
            self._unwritten |= {**self._spent, "cost": self._cost}
            if model:
                self._unwritten["model"] = model[:80]

    # --- for the pulse --------------------------------------------------------------------------------------------
    @property
    def unwritten(self) -> bool:
        return bool(self._unwritten)

    def take(self) -> dict[str, Any]:
        """What was said since it was last taken, as fields of the run."""
        with self._lock:
            taken, self._unwritten = self._unwritten, {}
            return taken

    def give_back(self, taken: dict[str, Any]) -> None:
        """It could not be written; what was said since counts more."""
        with self._lock:
            self._unwritten = {**taken, **self._unwritten}
