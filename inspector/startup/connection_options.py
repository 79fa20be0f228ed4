"""Options of database connections."""

from __future__ import annotations

from typing import Any

SQLITE = "django.db.backends.sqlite3"
POSTGRESQL = "inspector.startup.postgresql"
BUSY_SECONDS = 20
PAGE_SECONDS = 4
"""A person who waits for a page learns sooner that the database is locked, and can try again."""
REACH = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 40_000,
}
"""A PostgreSQL server that vanished silently is given up within a minute, so that a run can be killed, and renews its
lease on the next connection. The database URL may override it."""
PAGE_CACHE = 4 * 1024
"""KiB per page thread."""
PRAGMAS = (
    "PRAGMA page_size = 4096",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    # Fewer checkpoints, and the journal is truncated after each.
    "PRAGMA wal_autocheckpoint = 16000",
    f"PRAGMA journal_size_limit = {64 * 1024 * 1024}",
    "PRAGMA foreign_keys = ON",
    "PRAGMA temp_store = MEMORY",
    f"PRAGMA cache_size = -{32 * 1024}",
)


def with_options(config: dict[str, Any]) -> dict[str, Any]:
    """The database from the environment, with options that let readers and a writer work at the same time."""
    # Each thread of the web server keeps its connection; see inspector.pages.handler.
    if config["ENGINE"] != SQLITE:
        reach = {**REACH, **config.get("OPTIONS", {})}
        return {**config, "ENGINE": POSTGRESQL, "CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True, "OPTIONS": reach}
    options = {
        "init_command": ";".join(PRAGMAS),
        # A transaction that started as a reader cannot wait for its turn to write: it fails at once.
        "transaction_mode": "IMMEDIATE",
        "timeout": BUSY_SECONDS,
    }
    return {**config, "CONN_MAX_AGE": None, "OPTIONS": options}


def for_pages(config: dict[str, Any]) -> None:
    """Changes the options of future connections in this process: people wait for them, and each of several threads has
    its own cache. What is left to the system's cache is shared by all."""
    options = config.setdefault("OPTIONS", {})
    if config["ENGINE"] == SQLITE:
        options["timeout"] = PAGE_SECONDS
        options["init_command"] += f";PRAGMA cache_size = -{PAGE_CACHE}"
    else:
        if options.get("connect_timeout") == REACH["connect_timeout"]:
            options["connect_timeout"] = PAGE_SECONDS
        options["options"] = f"{options.get('options', '')} -c lock_timeout={PAGE_SECONDS}s".strip()
