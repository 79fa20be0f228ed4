"""Logs: JSON lines in one file that all processes of Lucid share, and readable lines on standard error.

Nothing from a transcript is ever logged: events carry names, ids, counts and times. The code that writes them is loaded
with the first line, because most commands log nothing and are faster without it."""

from __future__ import annotations

import fcntl
import logging
import logging.handlers
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from sessions.text.engine.error_reason import reason_of

MAX_BYTES = 5_000_000
BACKUPS = 3


class SharedRotatingFile(logging.handlers.RotatingFileHandler):
    """A bounded log that several processes write. The one that finds it full renames it, and the others follow."""

    _failing = False
    """Whether the latest line could not be written: then that has been said, and is not said for every line."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding=self.encoding, errors=self.errors, opener=_private)

    def emit(self, record: logging.LogRecord) -> None:
        self._told, self._failing = self._failing, False
        try:
            if not self._is_current():
                self._let_go()
                os.makedirs(os.path.dirname(self.baseFilename), exist_ok=True)
            super().emit(record)
        except OSError:
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is the base class's
        """Reports a full disk in one sentence on standard error. Logging resumes as soon as there is room."""
        error = sys.exception()
        if not isinstance(error, OSError):
            super().handleError(record)
            return
        if not self._told and sys.stderr is not None:
            reason = reason_of(error)
            print(f"lucid: nothing can be logged to {self.baseFilename} ({reason}).", file=sys.stderr)
        self._failing = True
        self._let_go()

    def _let_go(self) -> None:
        if self.stream:
            stream, self.stream = self.stream, None  # the base class opens the file again
            with suppress(OSError):  # its buffer still holds what it could not write
                stream.close()

    def doRollover(self) -> None:  # noqa: N802 - the name is the base class's
        with open(f"{self.baseFilename}.lock", "w", opener=_private) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self._is_current():
                super().doRollover()

    def _is_current(self) -> bool:
        if self.stream is None:
            return False
        try:
            return os.path.samestat(os.fstat(self.stream.fileno()), os.stat(self.baseFilename))
        except FileNotFoundError:
            return False


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class Lines(logging.Formatter):
    """A formatter of inspector.structured, loaded with the first line."""

    def __init__(self, made_by: str) -> None:
        super().__init__()
        self._made_by = made_by
        self._formatter: logging.Formatter | None = None

    def format(self, record: logging.LogRecord) -> str:
        if self._formatter is None:
            make: Callable[[], logging.Formatter] = getattr(import_module("inspector.structured"), self._made_by)
            self._formatter = make()
        return self._formatter.format(record)


class Terminal(logging.Filter):
    """The lines for a person: warnings, and more in the foreground. Successful requests are left out, because pages
    poll often."""

    # Kept here because Django sets up its logging more than once in a process.
    level = logging.WARNING

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= Terminal.level and not self._is_good_request(record.msg)

    @staticmethod
    def _is_good_request(event: object) -> bool:
        return isinstance(event, dict) and event.get("event") == "request_finished" and event.get("code", 0) < 400


def logging_config(path: Path, level: str) -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"terminal": {"()": Terminal}},
        "formatters": {
            "json": {"()": Lines, "made_by": "json_lines"},
            "human": {"()": Lines, "made_by": "readable_lines"},
        },
        "handlers": {
            "file": {
                "()": SharedRotatingFile,
                "filename": path,
                "maxBytes": MAX_BYTES,
                "backupCount": BACKUPS,
                "encoding": "utf-8",
                "delay": True,
                "formatter": "json",
            },
            "console": {"class": "logging.StreamHandler", "filters": ["terminal"], "formatter": "human"},
        },
        "root": {"handlers": ["file", "console"], "level": level},
        "loggers": {
            # Django would add its own handlers; the request line already says what its 4xx lines say.
            "django": {"handlers": [], "propagate": True},
            "django.request": {"level": "CRITICAL"},
            # A failed command prints its own line.
            "inspector.cli": {"handlers": ["file"], "propagate": False},
            # The outcome of a task is logged as an event, without the result that Celery would print.
            "celery.app.trace": {"level": "CRITICAL"},
            "celery.worker.strategy": {"level": "WARNING"},
            "uvicorn.error": {"level": "WARNING"},
        },
    }


def show_on_console(level: str) -> None:
    """For processes in the foreground; other commands log only what is wrong."""
    Terminal.level = logging.getLevelNamesMapping()[level]
