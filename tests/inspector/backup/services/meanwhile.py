"""Backups of a home that a server writes to: sessions grow, and requests are recorded and stored."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sessions.capture.endpoint.spool import Spool
from tests.inspector.backup.services.filling import run, several
from tests.serving import Server, serving, wait_until
from tests.sessions.capture.capturing import exchange, message, request
from tests.sessions.writing import Writing, append

SESSIONS = 3
BACKUPS = 2


class Writer:
    """Appends to sessions and records requests until it is told to stop."""

    def __init__(self, config: Path, home: Path) -> None:
        project = config / "projects" / "-home-dev-tidewatch"
        self.sessions = [Writing(session=f"{number:08d}-0000-4000-8000-000000000000") for number in range(SESSIONS)]
        self.paths = [session.turns(3).save(project) for session in self.sessions]
        self.recorded: list[str] = []
        self._spool = Spool(home / "captures")
        self._stop = threading.Event()

    def __call__(self) -> None:
        number = 0
        while not self._stop.wait(0.02):
            number += 1
            for session, path in zip(self.sessions, self.paths, strict=True):
                session.user(f"And harbour {number}?")
                append(path, session.records[-1])
            item = exchange(request({"role": "user", "content": f"harbour {number}"}), message(f"msg_{number}"))
            self._spool.write(item)
            self.recorded.append(item.name)

    def wait_for(self, more: int) -> None:
        enough = len(self.recorded) + more
        wait_until(lambda: len(self.recorded) >= enough)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        thread = threading.Thread(target=self)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join(60)


def follows(server: Server, writer: Writer) -> bool:
    """Whether it has begun to take in what is written."""
    return bool(json.loads(server.get("/health/").body).get("status")) and len(writer.recorded) > 20


def backups_made_meanwhile(folder: Path, **extra: str) -> None:
    home, config = folder / "home", folder / "config"
    writer = Writer(config, home)
    recorded: list[set[str]] = []
    # Exchanges of tests are old, and would be forgotten.
    settings = {"CLAUDE_CONFIG_DIR": str(config), "LUCID_CAPTURE_DAYS": "100000", **extra}
    with serving(home, **settings) as server, writer.at_work():
        wait_until(lambda: follows(server, writer))
        for number in range(BACKUPS):
            writer.wait_for(20)
            recorded.append(set(writer.recorded))
            made = run(home, "backup", str(folder / f"{number}.tar"), **extra)
            assert made["verified"] is True
    for number, expected in enumerate(recorded):
        _compare(folder, folder / f"{number}.tar", writer, expected)


def _compare(folder: Path, backup: Path, writer: Writer, recorded: set[str]) -> None:
    """All that was there when the backup began is in it, once; whatever came meanwhile is whole or not there."""
    home = folder / f"restored-{backup.stem}"
    run(home, "restore", str(backup))
    check, captures, sessions = several(home, ["check"], ["capture", "list"], ["sessions"])
    assert (check["damaged"], check["damage"], check["doubles"]) == (0, [], [])
    names = [capture["exchange"] for capture in captures]
    assert len(names) == len(set(names)), "an exchange was stored twice"
    assert sorted(recorded - set(names)) == [], "an exchange was lost"
    for session, path in zip(writer.sessions, writer.paths, strict=True):
        (output,) = [item for item in sessions if item["id"] == session.session]
        assert 12 <= output["entries"] <= len(session.records), path
