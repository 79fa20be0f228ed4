"""Errors at startup: one sentence that says what to do."""

from __future__ import annotations

from django.core.management.base import CommandError


class StartupError(CommandError):
    """Shown to the person as it is, without a traceback; the exit status is 1."""
