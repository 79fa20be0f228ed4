"""The real server, asked by strangers, by browsers that were let in, and by another user of the machine."""

from __future__ import annotations

import http.client
import json
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from inspector.owner.key import owner_key
from tests.demo import names
from tests.inspector.owner.neighbour import Neighbour, neighbour  # noqa: F401 - a fixture
from tests.serving import PATIENCE, ROOT, Server, bound_to, environment, lucid, serving, wait_until

pytestmark = pytest.mark.usefixtures("ready_home")

PAGE = {"Accept": "text/html,application/xhtml+xml"}
SAMPLES = {"session": names.LONG, "number": "1", "name": "capture", "message_id": "msg_1", "uuid": "u"}
SENTENCE = "This Lucid answers its owner alone. Run `lucid open` and open the address that it prints.\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, made_home: Path) -> Iterator[Server]:
    home = shutil.copytree(made_home, tmp_path_factory.mktemp("entry") / "home")
    with serving(home, "--demo", LUCID_WORKER="off") as server:
        wait_until(lambda: names.LONG.encode() in server.get("/sessions/").body)
        yield server


def addresses() -> list[str]:
    """One for each pattern that there is, whatever its arguments are."""
    return sorted({re.sub(r"<(?:\w+:)?(\w+)>", _sample, f"/{route}") for route in _routes(get_resolver().url_patterns)})


def _routes(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = f"{before}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route


def _sample(text: re.Match[str]) -> str:
    return SAMPLES.get(text[1], "1")


CLOSED = [address for address in addresses() if address not in ("/health/", "/favicon.ico")]


def test_there_are_addresses_to_try() -> None:
    assert len(CLOSED) > 80, CLOSED


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"])
def test_a_stranger_gets_no_page_and_changes_nothing(server: Server, method: str) -> None:
    let_in = {}
    for address in CLOSED:
        answer = server.ask(address, method, Origin=server.url, Sec_Fetch_Site="same-origin")
        expected = b"" if method == "HEAD" else SENTENCE.encode()
        if (answer.status, answer.body) != (403, expected):
            let_in[address] = (answer.status, answer.body[:200])
    assert let_in == {}


def test_the_page_for_a_stranger_says_how_to_get_in(server: Server) -> None:
    answer = server.ask("/sessions/", **PAGE)
    assert answer.status == 403
    assert b"lucid open" in answer.body
    assert answer.headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    for style in re.findall(r'href="(/static/[^"]+)"', answer.body.decode()):
        assert server.ask(style).status == 200, style


def test_a_script_gets_a_sentence(server: Server) -> None:
    answer = server.ask("/sessions/", Accept="application/json")
    assert json.loads(answer.body) == {"error": SENTENCE.strip()}
    part = server.ask("/runs/indicator/", HX_Request="true")
    assert (part.status, part.body, part.headers["HX-Refresh"]) == (403, b"", "true")


def test_a_stranger_learns_the_status_and_nothing_else(server: Server) -> None:
    assert json.loads(server.ask("/health/").body).keys() == {"status"}
    assert json.loads(server.get("/health/").body).keys() > {"status", "version"}


@pytest.mark.parametrize("address", ["/static/none.css", "/static/", "/static/%2e%2e/settings/"])
def test_a_stranger_gets_no_page_for_a_file_that_is_not_there(server: Server, address: str) -> None:
    answer = server.ask(address, **PAGE)
    assert (answer.status, answer.body) == (404, b"There is no such file.\n")
    assert b"All sessions" in server.get(address, **PAGE).body


@pytest.mark.parametrize(
    ("method", "address"), [("POST", "/health/"), ("OPTIONS", "/health/"), ("GET", "/favicon.icox")]
)
def test_a_stranger_gets_no_further_than_the_door(server: Server, method: str, address: str) -> None:
    assert (server.ask(address, method).status, server.ask(address, method).body) == (403, SENTENCE.encode())


def test_open_lets_one_browser_in_once(server: Server) -> None:
    result = lucid(server.home, "open")
    assert (result.returncode, result.stderr, result.stdout.count("\n")) == (0, "", 1)
    assert result.stdout.startswith(f"{server.url}/")
    entry = urlsplit(result.stdout.strip())
    first = server.ask(f"{entry.path}?{entry.query}")
    cookie = str(first.headers["Set-Cookie"])
    assert first.status == 303
    assert first.headers["Location"] == "/"
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert server.ask("/", Cookie=cookie.partition(";")[0]).status == 200
    second = server.ask(f"{entry.path}?{entry.query}", **PAGE)
    assert (second.status, second.headers["Set-Cookie"]) == (403, None)
    assert b"has been used" in second.body


def test_on_a_desktop_it_opens_a_browser_and_no_command_line_holds_the_token(tmp_path: Path) -> None:
    output, browser = tmp_path / "shown", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {output}.part && mv {output}.part {output}\n')
    browser.chmod(0o700)
    env = environment(tmp_path / "home", DISPLAY=":0", BROWSER=str(browser), LUCID_WORKER="off")
    env.pop("SSH_CONNECTION", None)
    keyboard, terminal = pty.openpty()
    command = [sys.executable, "-m", "inspector", "serve", "--bind", "127.0.0.1:0", "--no-watch"]
    with subprocess.Popen(command, cwd=ROOT, env=env, stdin=terminal, stdout=terminal, stderr=terminal) as process:
        try:
            wait_until(lambda: output.exists() or process.poll() is not None)
            (argument,) = output.read_text().splitlines()
            page = Path(urlsplit(argument).path)
            assert "token" not in argument
            assert page.stat().st_mode & 0o777 == 0o600
            entry = urlsplit(unescape(page.read_text().partition('href="')[2].partition('"')[0]))
            connection = http.client.HTTPConnection(entry.netloc, timeout=PATIENCE)
            connection.request("GET", f"{entry.path}?{entry.query}")
            answer = connection.getresponse()
            assert (answer.status, answer.headers["Set-Cookie"] is None) == (303, False)
            connection.close()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
            os.close(keyboard)
            os.close(terminal)


def test_a_link_from_elsewhere_needs_one_more_step(server: Server) -> None:
    entry = urlsplit(lucid(server.home, "open").stdout.strip())
    answer = server.ask(f"{entry.path}?{entry.query}", Sec_Fetch_Site="cross-site")
    assert (answer.status, answer.headers["Refresh"]) == (200, "0; url=/")
    assert answer.headers["Set-Cookie"]


def test_looking_at_an_address_does_not_use_it_up(server: Server) -> None:
    entry = urlsplit(lucid(server.home, "open").stdout.strip())
    assert server.ask(f"{entry.path}?{entry.query}", "HEAD").status == 403
    assert server.ask(f"{entry.path}?{entry.query}").status == 303


def test_open_without_a_server_says_what_to_do(tmp_path: Path) -> None:
    result = lucid(tmp_path / "home", "open")
    assert (result.returncode, result.stdout) == (1, "")
    assert "start one with `lucid serve`" in result.stderr


def test_the_cookie_outlives_a_restart_but_not_a_new_key(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with serving(home, "--no-watch", LUCID_WORKER="off") as server:
        cookie = server.cookie
    with serving(home, "--no-watch", LUCID_WORKER="off") as server:
        assert server.ask("/settings/", Cookie=cookie).status == 200
        assert lucid(home, "open", "--anew").returncode == 0
        assert server.ask("/settings/", Cookie=cookie).status == 403


def test_the_recording_endpoint_takes_requests_with_its_secret_alone(tmp_path: Path) -> None:
    # Nobody listens there: whoever is let in is told so.
    extra = {"LUCID_CAPTURE_UPSTREAM": "http://127.0.0.1:9", "LUCID_WORKER": "off"}
    with serving(tmp_path / "home", "--no-watch", **extra) as server:
        secret = owner_key(server.home).capture_secret
        encoded = f"%{ord(secret[0]):x}{secret[1:]}"
        wrong = ("", "/", "/v1/messages", f"/{secret[:-1]}/v1/messages", f"/{secret}x/v1", f"/{encoded}/v1/messages")
        for path in wrong:
            answer = server.ask(f"/capture{path}", "POST", body="{}")
            assert answer.status == 403, path
            assert json.loads(answer.body)["error"]["type"] == "permission_error"
        assert server.get("/capture/v1/messages", "POST").status == 403
        assert server.ask(f"/capture/{secret}/v1/messages", "POST", body="{}").status == 502
        assert f"/capture/{secret} claude".encode() in server.get("/captures/").body


def test_the_check_can_be_turned_off_and_says_what_that_means(tmp_path: Path) -> None:
    with serving(tmp_path / "home", "--no-watch", LUCID_OWNER_CHECK="off", LUCID_WORKER="off") as server:
        assert server.ask("/settings/").status == 200
        wait_until(lambda: server.says("every user of this machine"))
        assert b"/capture claude" in server.ask("/captures/").body
        assert lucid(server.home, "open", LUCID_OWNER_CHECK="off").stdout.strip() == f"{server.url}/"


def test_a_neighbour_gets_nothing(server: Server, neighbour: Neighbour) -> None:  # noqa: F811
    requests = [(method, address, PAGE, "") for address in CLOSED for method in ("GET", "POST")]
    requests.append(("POST", "/memory/1/new/", {"Sec-Fetch-Site": "same-origin", "Origin": server.url}, "name=planted"))
    requests.append(("POST", "/capture/v1/messages", {}, "{}"))
    answers = neighbour.asks(*requests, port=server.port)
    refused = [(request[:2], answer) for request, answer in zip(requests, answers, strict=True) if answer[0] != 403]
    assert refused == []
    text = "\n".join(body for _, body in answers)
    assert names.LONG not in text
    assert "Azores" not in text


@pytest.fixture
def socket_path(tmp_path: Path) -> Path:
    return tmp_path / "lucid.sock"


def over(path: Path, address: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("localhost")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(path))
    connection.request("GET", address)
    response = connection.getresponse()
    return response.status, response.read()


def test_a_socket_file_is_for_its_owner(tmp_path: Path, socket_path: Path, neighbour: Neighbour) -> None:  # noqa: F811
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and folder != Path("/") and folder.name != "tmp":
            folder.chmod(0o755)
    with bound_to(f"unix:{socket_path}", tmp_path / "home", "--no-watch", LUCID_WORKER="off"):
        assert socket_path.stat().st_mode & 0o777 == 0o600
        assert over(socket_path, "/settings/")[0] == 200
        ((status, reason),) = neighbour.asks(("GET", "/settings/", {}, ""), path=str(socket_path))
        assert (status, reason) == (0, "PermissionError")
        # Even where the mode of the file would let others in, they are turned away.
        socket_path.chmod(0o666)
        ((status, reason),) = neighbour.asks(("GET", "/settings/", {}, ""), path=str(socket_path))
        assert status == 0, reason
        assert over(socket_path, "/settings/")[0] == 200
    assert not socket_path.exists()


def test_a_socket_that_a_killed_server_left_is_taken_over(tmp_path: Path, socket_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(socket_path))
    with bound_to(f"unix:{socket_path}", tmp_path / "home", "--no-watch", LUCID_WORKER="off"):
        assert over(socket_path, "/health/")[0] == 200
