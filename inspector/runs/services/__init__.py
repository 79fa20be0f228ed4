"""Runs: everything that happens in the background. Created, executed, killed, retried and, when lost, given up."""

from __future__ import annotations

from inspector.runs.kinds import (
    Kind,
    Result,
    Work,
    all_kinds,
    kind_named,
    kind_register,
)
from inspector.runs.services.creating import run_create, run_retry
from inspector.runs.services.executing import run_execute, run_perform
from inspector.runs.services.killing import run_kill
from inspector.runs.services.reaping import runs_reap
from inspector.runs.services.running import Running
from inspector.runs.services.stops import (
    Interrupted,
    Killed,
    RunError,
    Stopped,
)
from inspector.runs.services.under_way import interrupt_all

__all__ = [
    "Interrupted",
    "Killed",
    "Kind",
    "Result",
    "RunError",
    "Running",
    "Stopped",
    "Work",
    "all_kinds",
    "interrupt_all",
    "kind_named",
    "kind_register",
    "run_create",
    "run_execute",
    "run_kill",
    "run_perform",
    "run_retry",
    "runs_reap",
]
