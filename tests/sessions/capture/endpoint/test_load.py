"""Fifty streams at once through a real server, while everything that it records with fails in one way or another."""

from __future__ import annotations

import json
import os
import random
import socket
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from inspector.owner.key import owner_key
from sessions.capture.engine import Exchange
from tests.serving import PATIENCE, Server, lucid, serving, wait_until
from tests.sessions.capture.endpoint.rawserver import Pieces, Taken, chunked, raw_server
from tests.sessions.capture.proxying import body_of, post

pytestmark = pytest.mark.usefixtures("ready_home")

AT_ONCE = 50


def streamed(taken: Taken) -> Pieces:
    """An answer that follows from the request, in pieces of any size with pauses between them."""
    chance = random.Random(taken.body)
    pieces: list[bytes | float] = []
    for _ in range(chance.randrange(5, 40)):
        pieces += [chance.randbytes(chance.randrange(1, 9000)), chance.choice([0.0, 0.0, 0.001, 0.02])]
    return chunked(*pieces, headers=[b"content-type: text/event-stream"])


def body_with(number: int, more: int = 0) -> bytes:
    return b'{"model":"m","messages":[{"role":"user","content":"%d %s"}]}' % (number, b"x" * more)


def answer_of(body: bytes) -> bytes:
    return body_of(b"".join(piece for piece in streamed(Taken(b"", body)) if isinstance(piece, bytes)))


def ask_all(server: Server, bodies: list[bytes]) -> list[bytes]:
    together = threading.Barrier(len(bodies))
    path = f"/capture/{owner_key(server.home).capture_secret}/v1/messages?beta=true"

    def ask(body: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as client:
            together.wait()
            client.sendall(post(path, body))
            received = []
            while piece := client.recv(65536):
                received.append(piece)
        return body_of(b"".join(received))

    with ThreadPoolExecutor(len(bodies)) as pool:
        return list(pool.map(ask, bodies))


@contextmanager
def locked(home: Path) -> Iterator[None]:
    database = sqlite3.connect(home / "lucid.sqlite3", timeout=PATIENCE)
    database.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        database.rollback()
        database.close()


@contextmanager
def absent(home: Path) -> Iterator[None]:
    """A folder in its place, so that nobody makes it anew."""
    database, away = home / "lucid.sqlite3", home / "away"
    database.rename(away)
    database.mkdir()
    try:
        yield
    finally:
        database.rmdir()
        away.rename(database)


@contextmanager
def full(home: Path) -> Iterator[None]:
    """A disk of 64 KB where recordings are written; where nobody may mount one, a file in the way."""
    folder, away = home / "captures", home / "captures-away"
    folder.rename(away)
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    mounted = os.geteuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0
    if not mounted:
        folder.rmdir()
        folder.write_text("in the way")
    try:
        yield
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
            folder.rmdir()
        else:
            folder.unlink()
        away.rename(folder)


def test_not_one_byte_is_altered_whatever_happens_to_the_recordings(tmp_path: Path) -> None:
    home = tmp_path / "home"
    troubles: list[Callable[[Path], AbstractContextManager[None]]] = [locked, absent, full]
    bodies = [body_with(number, 200_000 if number % 5 == 0 else 0) for number in range(4 * AT_ONCE)]
    with raw_server(streamed) as upstream:
        # Nobody stores meanwhile: what is written can be counted. The worker and the watcher are started without.
        with serving(home, "--no-watch", LUCID_WORKER="off", LUCID_CAPTURE_UPSTREAM=upstream.url) as server:
            expected = [answer_of(body) for body in bodies]
            assert ask_all(server, bodies[:AT_ONCE]) == expected[:AT_ONCE]
            for number, trouble in enumerate(troubles, 1):
                part = slice(AT_ONCE * number, AT_ONCE * (number + 1))
                recorded(server, AT_ONCE * number)
                with trouble(home):
                    assert ask_all(server, bodies[part]) == expected[part]
                    recorded(server, AT_ONCE * (number + 1))
            # Only a disk that is full costs recordings; the database has no part in it.
            assert 0 < lost(server) <= AT_ONCE
            files = sorted((home / "captures").glob("*.capture"))
            assert AT_ONCE * 3 <= len(files) + lost(server) <= len(bodies)
            exchanges = [Exchange.of_bytes(path.read_bytes()) for path in files]
        assert sorted(taken.body for taken in upstream.taken) == sorted(bodies)
    assert all(exchange.answer == answer_of(exchange.request) for exchange in exchanges)
    listed = lucid(home, "capture", "list", "--json", "--limit", "1000")
    assert listed.returncode == 0, listed.stderr
    assert listed.stdout.count('"exchange"') == len(files)


def test_what_was_recorded_while_the_database_was_locked_is_stored_afterwards(tmp_path: Path) -> None:
    home = tmp_path / "home"
    bodies = [body_with(number) for number in range(10)]
    with raw_server(streamed) as upstream, serving(home, LUCID_CAPTURE_UPSTREAM=upstream.url) as server:
        wait_until(lambda: json.loads(server.get("/health/").body)["worker"] == "running")
        with locked(home):
            ask_all(server, bodies)
            wait_until(lambda: len(list((home / "captures").glob("*.capture"))) == len(bodies))
        wait_until(lambda: b"of 10 captures" in server.get("/captures/").body)
        assert list((home / "captures").glob("*.capture")) == []


def recorded(server: Server, number: int) -> None:
    """Waits until so many recordings were written or lost."""

    def done() -> bool:
        counts = health(server)
        return counts["written"] + counts["lost"] == number

    wait_until(done)


def lost(server: Server) -> int:
    return health(server)["lost"]


def health(server: Server) -> dict[str, int]:
    capture: dict[str, int] = json.loads(server.get("/health/").body)["capture"]
    return capture
