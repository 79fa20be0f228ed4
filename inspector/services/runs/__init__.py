"""Runs: everything that happens in the background. Created, executed, killed, retried and, when lost, given up."""

from __future__ import annotations

from inspector.services.run_kinds import Kind, Result, Work, all_kinds, kind_named, kind_register
from inspector.services.runs.creating import run_create, run_retry
from inspector.services.runs.executing import run_execute, run_perform
from inspector.services.runs.killing import run_kill
from inspector.services.runs.reaping import runs_reap
from inspector.services.runs.running import Running
from inspector.services.runs.stops import Interrupted, Killed, RunError, Stopped
from inspector.services.runs.under_way import interrupt_all

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
