"""Runs tests on a real PostgreSQL and a real Redis instead of files: `python -m tests.on_services [arguments]`.

Both are started for it, from Debian's packages, and end with it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.servers import migrated_template, postgres_server, redis_server


def run(arguments: list[str]) -> int:
    with (
        tempfile.TemporaryDirectory(prefix="lucid-postgres-") as data,
        tempfile.TemporaryDirectory(prefix="lucid-redis-") as queue,
        postgres_server(Path(data)) as database_url,
        redis_server(Path(queue)) as redis_url,
    ):
        servers = {"TEST_DATABASE_URL": database_url, "TEST_REDIS_URL": redis_url}
        migrated_template(database_url)  # before several processes ask for it
        return subprocess.call([sys.executable, "-m", "pytest", *arguments], env={**os.environ, **servers})


if __name__ == "__main__":
    try:
        sys.exit(run(sys.argv[1:]))
    except pytest.skip.Exception as missing:
        print(f"Not run on PostgreSQL and Redis: {missing}.")
