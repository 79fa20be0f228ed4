"""The helper processes of `serve`: started, restarted if they die, and stopped with everything they started."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from enum import StrEnum

from inspector.structured import get_logger

log = get_logger(__name__)

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
SETTLED_AFTER = 60.0
GRACE = 4.0


class State(StrEnum):
    STARTING = "starting"
    RUNNING = "running"
    DEAD = "restarting"
    STOPPED = "stopped"
    ABSENT = "off"
    """Not started by this process: switched off or running elsewhere."""


_states: dict[str, State] = {}


def state_of(name: str) -> State:
    return _states.get(name, State.ABSENT)


def all_states() -> dict[str, State]:
    return dict(_states)


def apply_states(states: dict[str, State]) -> None:
    """Sets the states known to the server in one of its page processes."""
    _states.update(states)


class Helper:
    """A process that runs a command of Lucid while the server runs."""

    def __init__(self, name: str, *command: str, after: float = 0.0, patience: float = 0.0) -> None:
        """`after`: seconds after the server at which it starts, so that the first page comes first. `patience`: seconds
        to finish when it is told to stop."""
        self.name = name
        self._after = after
        self._patience = patience
        # -P: the current directory may have a package with the name of one of ours.
        self._command = (sys.executable, "-P", "-m", "inspector.child", *command)
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = False

    async def keep_running(self) -> None:
        _states[self.name] = State.STARTING
        await asyncio.sleep(self._after)
        pause = FIRST_PAUSE
        while True:
            started = time.monotonic()
            code = await self._run_once()
            if self._stopping:
                break
            _states[self.name] = State.DEAD
            if time.monotonic() - started > SETTLED_AFTER:
                pause = FIRST_PAUSE
            log.warning("helper_died", helper=self.name, code=code, restart_in=pause)
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
        _states[self.name] = State.STOPPED

    async def stop(self, hurry: asyncio.Event) -> None:
        """`hurry` is set when the person does not want to wait."""
        self._stopping = True
        process = self._process
        if process is None or process.returncode is not None:
            return
        self._signal(process, signal.SIGTERM)
        ended, hurried = asyncio.ensure_future(process.wait()), asyncio.ensure_future(hurry.wait())
        await asyncio.wait((ended, hurried), timeout=self._patience + GRACE, return_when=asyncio.FIRST_COMPLETED)
        if hurried.done() and not ended.done():
            self._signal(process, signal.SIGTERM)
            await asyncio.wait((ended,), timeout=GRACE)
        if not ended.done():
            log.warning("helper_killed", helper=self.name)
        hurried.cancel()
        # Whatever the helper started is in its group and ends with it.
        self._signal(process, signal.SIGKILL)
        await ended

    async def _run_once(self) -> int:
        # Its own session keeps Ctrl-C at the terminal away from it: it stops when told, after the last request.
        # Its standard input is a pipe that closes when this process ends in any way; see inspector.child.
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=asyncio.subprocess.PIPE, start_new_session=True
        )
        _states[self.name] = State.RUNNING
        log.info("helper_started", helper=self.name, pid=self._process.pid)
        return await self._process.wait()

    @staticmethod
    def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return


async def stop_all(helpers: list[Helper], tasks: list[asyncio.Task[None]], hurry: asyncio.Event) -> None:
    await asyncio.gather(*(helper.stop(hurry) for helper in helpers))
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
