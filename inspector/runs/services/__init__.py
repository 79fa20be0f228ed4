"""Creates, executes, kills and retries runs, and gives up lost ones."""

from __future__ import annotations

from inspector.runs.kinds import Result, RunKind, Work, find_run_kind, list_run_kinds, run_kind_register
from inspector.runs.services.active_run import ActiveRun
from inspector.runs.services.create import run_create, run_retry
from inspector.runs.services.execute import run_execute, run_perform
from inspector.runs.services.kill import run_kill
from inspector.runs.services.local_runs import interrupt_all
from inspector.runs.services.reap import runs_reap
from inspector.runs.services.stops import RunError, RunInterrupted, RunKilled, RunStopped

__all__ = [
    "ActiveRun",
    "Result",
    "RunError",
    "RunInterrupted",
    "RunKilled",
    "RunKind",
    "RunStopped",
    "Work",
    "find_run_kind",
    "interrupt_all",
    "list_run_kinds",
    "run_create",
    "run_execute",
    "run_kill",
    "run_kind_register",
    "run_perform",
    "run_retry",
    "runs_reap",
]
