from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.serving import Server, serving, wait_until

pytestmark = pytest.mark.usefixtures("ready_home")

# Celery's own housekeeping does nothing here and needs no module of ours.
TASK = "celery.backend_cleanup"


def put(home: Path, broker: str = "") -> None:
    """Queues a task in the way of any other process of this home."""
    from celery import Celery

    from inspector import queue

    folder = home / "queue"
    options = {
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "control_folder": str(folder / "control"),
    }
    app = Celery("elsewhere", broker=broker or f"{queue.SCHEME}://localhost", set_as_current=False)
    app.conf.update(broker_transport_options={} if broker else options, task_default_queue="lucid")
    app.send_task(TASK, ignore_result=True)


def done(server: Server) -> list[dict[str, Any]]:
    log = server.home / "logs" / "lucid.log"
    lines = log.read_text().splitlines() if log.exists() else []
    return [line for line in map(json.loads, lines) if line["event"] == "task_succeeded"]


def test_a_task_starts_when_it_is_queued_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with serving(tmp_path / "home", "--no-watch") as server:
        put(server.home)
        wait_until(lambda: len(done(server)) == 1)
        for number in (2, 3, 4):
            put(server.home)
            wait_until(lambda number=number: len(done(server)) == number)  # type: ignore[misc]
    assert list((server.home / "queue" / "messages").iterdir()) == []
