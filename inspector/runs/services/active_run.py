"""A run as its own work sees it: the work reports its progress and its spending here, and learns when it must stop.

Nothing here waits for the database. Reports are kept in memory, and the pulse of the run writes them a few times a
second, so that the work may report on each of a million items."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from inspector.runs.models import Run
from inspector.runs.selectors.kills import kill_note_path
from inspector.runs.services.stops import RunStopped
from inspector.web.clock import now_ms
from sessions.text.engine.storable import storable_text

LAST_TURNS = 30
LONGEST_TEXT = 2000
MOST_FILES = 20


class ActiveRun:
    def __init__(self, run: Run) -> None:
        self.run_id: int = run.pk
        self.worker: str = run.worker
        self.kind: str = run.kind
        self.target: str = run.target
        self.has_asked_model = False
        """What was sent to a model is billed even if nobody waits for the answer."""
        self.is_visible = False
        """Whether other connections can see the run: the transaction that created it has been committed."""
        self._kill_note = kill_note_path(run.pk, run.created_at)
        self.writing = threading.Lock()
        """Held from taking updates until they are written, so that the end of the run can wait for that."""
        self._lock = threading.Lock()
        self._stop: type[RunStopped] | None = None
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
        """Raises RunKilled or another RunStopped when the work must not go on. It costs nothing: call it as often as
        you like, and at least twice a second."""
        if self._stop is not None:
            raise self._stop

    def has_kill_note(self) -> bool:
        """Whether a kill was noted in a file, because the database was busy."""
        return self._kill_note is not None and self._kill_note.exists()

    def wait(self, seconds: float) -> None:
        """Sleeps, and wakes up when the work must stop."""
        self._stopped.wait(seconds)
        self.check()

    @contextmanager
    def close_on_stop(self, close: Callable[[], None]) -> Iterator[None]:
        """For work that waits for a connection or a process: if it must stop meanwhile, `close` is called from another
        thread, and any error that this causes in the waiting thread counts as the stop."""
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

    def stop(self, reason: type[RunStopped]) -> None:
        """From any thread. The first reason counts."""
        with self._lock:
            if self._stop is not None:
                return
            self._stop = reason
            closers = list(self._closers)
        self._stopped.set()
        for close in closers:
            close()

    # --- reporting ------------------------------------------------------------------------------------------------
    def begin_phase(self, name: str, *, total: int | None = None, unit: str = "") -> None:
        """Names what is being done now. The count starts again from zero."""
        with self._lock:
            self._phase, self._done = name, 0
            self._unwritten |= {"phase": name[:80], "done": 0, "total": total, "unit": unit, "phase_at": now_ms()}
        self.check()

    def ensure_phase(self, name: str, *, unit: str = "") -> None:
        """Begins the phase unless the work is in it already, for work that names its phase at each step."""
        if name != self._phase:
            self.begin_phase(name, unit=unit)

    def report_progress(self, done: int, *, total: int | None = None, **counts: int) -> None:
        """How far the work is, with further counts by name."""
        with self._lock:
            self._done = done
            self._counts |= counts
            self._unwritten |= {"done": done, "progress": dict(self._counts)}
            if total is not None:
                self._unwritten["total"] = total
        self.check()

    def advance(self, by: int = 1, **counts: int) -> None:
        self.report_progress(self._done + by, **counts)

    def add_turn(self, text: str, *, tools: Mapping[str, int] | None = None, files: Sequence[str] = ()) -> None:
        """An answer of a model: its text, how often it called each tool, and which files it touched."""
        with self._lock:
            self._turn_count += 1
            entry = {
                "number": self._turn_count,
                "at": now_ms(),
                "text": storable_text(text[:LONGEST_TEXT]),
                "tools": dict(tools or {}),
                "files": list(files)[:MOST_FILES],
            }
            self._turns = [*self._turns, entry][-LAST_TURNS:]
            self._unwritten |= {"turns": self._turns, "turn_count": self._turn_count}

    def update_turn(self, text: str, *, tools: Mapping[str, int] | None = None) -> None:
        """Replaces the text and tools of the latest turn, which has gone on."""
        with self._lock:
            assert self._turns
            entry = {**self._turns[-1], "text": storable_text(text[:LONGEST_TEXT]), "tools": dict(tools or {})}
            self._turns = [*self._turns[:-1], entry]
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
        """Adds the tokens and the cost of one request. A request without a known price leaves the cost as it is."""
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
    def has_updates(self) -> bool:
        return bool(self._unwritten)

    def take_updates(self) -> dict[str, Any]:
        """What was reported since the last call, as fields of the run."""
        with self._lock:
            updates, self._unwritten = self._unwritten, {}
            return updates

    def restore_updates(self, updates: dict[str, Any]) -> None:
        """They could not be written. What was reported since then takes precedence."""
        with self._lock:
            self._unwritten = {**updates, **self._unwritten}
