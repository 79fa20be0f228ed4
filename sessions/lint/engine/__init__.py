"""Lint: what the Messages API would refuse in a request, what would silently cost, and how to fix it."""

from __future__ import annotations

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.linting import lint_request
from sessions.lint.engine.repair import repair, repair_messages, repair_request, strip_dead_thinking
from sessions.lint.engine.repairs.draft import Repair
from sessions.lint.engine.thinking_binding import DeadThinking, dead_thinking

__all__ = [
    "DeadThinking",
    "Finding",
    "Repair",
    "Severity",
    "dead_thinking",
    "lint_request",
    "repair",
    "repair_messages",
    "repair_request",
    "strip_dead_thinking",
]
