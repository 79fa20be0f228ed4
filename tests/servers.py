"""Real servers for tests, each with its own port and files. Where the program is missing, the test is skipped."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.serving import lucid, wait_until

STATEMENT_SECONDS = 600
"""No statement of a test takes that long on the slowest machine: one that never ends is an error and not a silence."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running(*command: str | Path, port: int, user: str | None = None) -> Iterator[None]:
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=user
    )
    try:
        wait_until(lambda: answers(port) or process.poll() is not None)
        assert process.poll() is None, f"{command[0]} did not start"
        yield
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def redis_server(folder: Path, port: int = 0) -> Iterator[str]:
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    port = port or free_port()
    options = ("--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "", "--appendonly", "no")
    with running(program, *options, port=port):
        yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def postgres_server(folder: Path, port: int = 0) -> Iterator[str]:
    """With the data that is there, if it ran there before."""
    programs = _postgres_programs()
    port = port or free_port()
    data = folder / "data"
    user = _postgres_user(folder)
    if not data.exists():
        _initdb(programs, data, user)
    options = (
        "-D",
        data,
        "-p",
        str(port),
        "-h",
        "127.0.0.1",
        "-k",
        folder,
        "-c",
        "fsync=off",
        "-c",
        "max_connections=200",
        "-c",
        f"statement_timeout={STATEMENT_SECONDS}s",
    )
    with running(programs / "postgres", *options, port=port, user=user):
        url = f"postgres://lucid@127.0.0.1:{port}/postgres"
        wait_until(lambda: _accepts(url))
        yield url


def stop_postgres(folder: Path, port: int) -> None:
    """At once, whoever is connected."""
    note = folder / "data" / "postmaster.pid"
    with suppress(FileNotFoundError, ProcessLookupError):
        os.kill(int(note.read_text().split()[0]), signal.SIGINT)
    wait_until(lambda: not answers(port))
    wait_until(lambda: not note.exists())


def migrated_template(url: str) -> str:
    """A database with all tables, to make others from: that takes a moment, and migrations take many. Made once for a
    server, whoever asks first."""
    import psycopg

    name = "lucid_template"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(1)")
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
            # It has its name only when it is whole.
            connection.execute(f"CREATE DATABASE {name}_unfinished")
            with tempfile.TemporaryDirectory(prefix="lucid-template-") as home:
                database = f"{url.rpartition('/')[0]}/{name}_unfinished"
                result = lucid(Path(home) / "home", "migrate", "--verbosity", "0", DATABASE_URL=database)
                assert result.returncode == 0, result.stderr
            connection.execute(f"ALTER DATABASE {name}_unfinished RENAME TO {name}")
    return name


def _initdb(programs: Path, data: Path, user: str | None) -> None:
    options = ("--username", "lucid", "--auth", "trust", "--no-sync", "-E", "UTF8")
    command = [str(programs / "initdb"), "--pgdata", str(data), *options]
    subprocess.run(command, check=True, capture_output=True, user=user, cwd=data.parent)


def _accepts(url: str) -> bool:
    import psycopg

    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def _postgres_programs() -> Path:
    items = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    if not items and on_path is None:
        pytest.skip("postgresql is not installed")
    return items[-1].parent if items else Path(str(on_path)).resolve().parent


def _postgres_user(folder: Path) -> str | None:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("there is no user postgres to run PostgreSQL as")
    shutil.chown(folder, "postgres")
    return "postgres"
