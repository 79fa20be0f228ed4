"""Structured logging: Lucid's loggers, and the format of their lines."""

from __future__ import annotations

import logging
from typing import Any

import structlog
from structlog.stdlib import BoundLogger, ProcessorFormatter

__all__ = ["BoundLogger", "bound_contextvars", "get_logger", "json_lines", "readable_lines"]

bound_contextvars = structlog.contextvars.bound_contextvars

_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    # Modules below the apps log through Python's own loggers, with their facts as extras.
    structlog.stdlib.ExtraAdder(),
    structlog.stdlib.PositionalArgumentsFormatter(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]

structlog.configure(
    processors=[structlog.stdlib.filter_by_level, *_SHARED, ProcessorFormatter.wrap_for_formatter],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=BoundLogger,
    cache_logger_on_first_use=True,
)


def get_logger(name: str) -> BoundLogger:
    logger: BoundLogger = structlog.get_logger(name)
    return logger


def json_lines() -> logging.Formatter:
    # Local variables of a traceback may contain text of a transcript.
    traceback = structlog.tracebacks.ExceptionDictTransformer(show_locals=False, max_frames=30)
    return _formatter(structlog.processors.ExceptionRenderer(traceback), structlog.processors.JSONRenderer())


def readable_lines() -> logging.Formatter:
    return _formatter(structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback))


def _formatter(*processors: Any) -> logging.Formatter:
    return ProcessorFormatter(
        foreign_pre_chain=_SHARED, processors=[ProcessorFormatter.remove_processors_meta, *processors]
    )
