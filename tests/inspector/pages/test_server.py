"""A whole server with a second process that makes its pages: what one process knew must be true in both."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from inspector.owner.access_tokens import token_create
from inspector.owner.key import owner_key
from tests.serving import Answer, Server, bound_to, serving, wait_until

pytestmark = pytest.mark.usefixtures("ready_home")

CROWD = 16
NOBODY = "http://127.0.0.1:9"
"""Where no API answers."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    home = tmp_path / "home"
    quiet = {"LUCID_WORKER": "off", "LUCID_CAPTURE_UPSTREAM": NOBODY}
    with serving(home, "--no-watch", LUCID_WEB_PROCESSES="2", **quiet) as started:
        yield started


def together(action: Callable[[], Answer], times: int) -> list[Answer]:
    with ThreadPoolExecutor(CROWD) as crowd:
        return list(crowd.map(lambda _: action(), range(times)))


def crowded(server: Server, path: str = "/settings/") -> int:
    """The process that came to help while many asked."""
    with ThreadPoolExecutor(CROWD) as crowd:

        def ask() -> None:
            while not server.helpers():
                assert server.get(path).status == 200

        for asking in [crowd.submit(ask) for _ in range(CROWD)]:
            asking.result()
    (helper,) = server.helpers()
    wait_until(lambda: server.says(f"pid={helper}"))
    return helper


def written(pid: int) -> int:
    """Bytes that the process has written so far, to whomever."""
    lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("wchar"))


def test_both_processes_say_the_same(server: Server) -> None:
    helper = crowded(server)
    secret = owner_key(server.home).capture_secret
    for _ in range(3):
        assert server.ask(f"/capture/{secret}/v1/messages", "POST", body="{}").status >= 500
    wait_until(lambda: json.loads(server.get("/health/").body)["capture"]["forwarded"] == 3)
    before = written(helper)
    answers = together(lambda: server.get("/health/"), 120)
    assert {answer.status for answer in answers} == {200}
    assert {json.dumps(json.loads(answer.body)["capture"]) for answer in answers if answer.body} == {
        json.dumps(json.loads(server.get("/health/").body)["capture"])
    }
    settings = together(lambda: server.get("/settings/"), 60)
    assert all(f"127.0.0.1:{server.port}</code>".encode() in answer.body for answer in settings)
    assert written(helper) > before, "the second process made none of these pages"


def test_a_token_lets_one_browser_in_however_many_try_it_at_once(server: Server) -> None:
    crowded(server)
    token = token_create(server.home)
    answers = together(lambda: server.ask(f"/enter/?token={token}"), 40)
    cookies = [answer.headers["Set-Cookie"] for answer in answers if answer.headers["Set-Cookie"]]
    assert len(cookies) == 1, [answer.status for answer in answers]
    cookie = cookies[0].partition(";")[0]
    assert {answer.status for answer in together(lambda: server.ask("/runs/", Cookie=cookie), 40)} == {200}
    assert {answer.status for answer in together(lambda: server.ask("/runs/"), 40)} == {403}


def test_a_process_that_is_killed_takes_nobody_along_and_is_replaced(server: Server) -> None:
    first = crowded(server)
    os.kill(first, signal.SIGKILL)
    answers = together(lambda: server.get("/settings/"), 60)
    assert {answer.status for answer in answers} <= {200, 503}
    wait_until(lambda: first not in server.helpers())
    assert crowded(server) != first
    assert server.stop() == 0
    assert server.helpers() == []
    assert "Traceback" not in "".join(server.lines)


def test_no_process_outlives_a_server_that_was_killed(server: Server) -> None:
    crowded(server)
    server.stop(signal.SIGKILL)
    wait_until(lambda: server.helpers() == [])


def test_a_socket_file_is_served_by_both(tmp_path: Path) -> None:
    path = tmp_path / "lucid.sock"
    quiet = {"LUCID_WORKER": "off", "LUCID_WEB_PROCESSES": "2"}
    with bound_to(f"unix:{path}", tmp_path / "home", "--no-watch", **quiet) as server:

        def ask() -> bytes:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(path))
                client.sendall(b"GET /settings/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
                return b"".join(iter(lambda: client.recv(65536), b""))

        def ask_until_helped() -> None:
            while not server.helpers():
                assert ask().startswith(b"HTTP/1.1 200")

        with ThreadPoolExecutor(CROWD) as crowd:
            for asking in [crowd.submit(ask_until_helped) for _ in range(CROWD)]:
                asking.result()
            assert all(answer.startswith(b"HTTP/1.1 200") for answer in crowd.map(lambda _: ask(), range(60)))
