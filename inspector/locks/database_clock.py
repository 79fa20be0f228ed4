"""One clock for all hosts that use the database, because their own clocks differ and may be changed."""

from __future__ import annotations

from django.db import connection

from inspector.web.clock import now_ms


def database_ms() -> int:
    """Milliseconds since 1970. A database file is used by one host, so the clock of that host is enough."""
    if connection.vendor != "postgresql":
        return now_ms()
    with connection.cursor() as cursor:
        cursor.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        row = cursor.fetchone()
    assert row is not None
    return int(row[0])
