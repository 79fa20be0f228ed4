"""How Lucid connects to its database."""

from __future__ import annotations

from typing import Any

SQLITE = "django.db.backends.sqlite3"
POSTGRESQL = "inspector.startup.postgresql"
BUSY_SECONDS = 20
PRAGMAS = (
    "PRAGMA page_size = 4096",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    # Checkpoints copy pages: fewer of them, and a journal that is cut back when it is done.
    "PRAGMA wal_autocheckpoint = 16000",
    f"PRAGMA journal_size_limit = {64 * 1024 * 1024}",
    "PRAGMA foreign_keys = ON",
    "PRAGMA temp_store = MEMORY",
    f"PRAGMA cache_size = -{32 * 1024}",
)


def with_options(config: dict[str, Any]) -> dict[str, Any]:
    """The database as the environment names it, with the options that make it fit for a reader and a writer at once."""
    # Each thread of the web server keeps its connection; see inspector.asgi.
    if config["ENGINE"] != SQLITE:
        return {**config, "ENGINE": POSTGRESQL, "CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}
    options = {
        "init_command": ";".join(PRAGMAS),
        # A transaction that began as a reader cannot wait for its turn to write: it fails at once.
        "transaction_mode": "IMMEDIATE",
        "timeout": BUSY_SECONDS,
    }
    return {**config, "CONN_MAX_AGE": None, "OPTIONS": options}
