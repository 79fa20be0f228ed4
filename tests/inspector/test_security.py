from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client, RequestFactory
from django.urls import get_resolver

from tests.serving import PATIENCE, Server, serving

HTMX = "/static/django_htmx/htmx-2.min.js"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
POLICY = {
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, made_home: Path) -> Iterator[Server]:
    home = shutil.copytree(made_home, tmp_path_factory.mktemp("security") / "home")
    with serving(home, "--no-watch", LUCID_WORKER="off", LUCID_ALLOWED_HOSTS="lucid.test") as server:
        yield server


@pytest.mark.parametrize("path", ["/health/", "/no-such-page/", HTMX, "/static/none.css"])
def test_every_answer_has_the_headers(server: Server, path: str) -> None:
    answer = server.get(path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert set(answer.headers["Content-Security-Policy"].split("; ")) == POLICY
    assert "camera=()" in answer.headers["Permissions-Policy"]
    assert answer.headers["Server"] is None


def test_a_refusal_has_the_same_headers_as_an_answer(server: Server) -> None:
    answer = server.get("/health/", Host="evil.example")
    assert answer.status == 400
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "camera=()" in answer.headers["Permissions-Policy"]
    assert set(answer.headers["Content-Security-Policy"].split("; ")) == POLICY


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "169.254.169.254", "a b"])
def test_another_name_is_refused(server: Server, host: str) -> None:
    assert server.get("/health/", Host=host).status == 400
    assert server.get(HTMX, Host=host).status == 400


@pytest.mark.parametrize(
    ("target", "hosts"),
    [
        (b"http://evil.example/health/", [b"127.0.0.1"]),
        (b"/health/", [b"127.0.0.1", b"evil.example"]),
        (b"/health/", [b"evil.example", b"127.0.0.1"]),
        (b"/capture/v1/models", [b"127.0.0.1", b"evil.example"]),
    ],
)
def test_a_second_name_does_not_hide_behind_the_first(server: Server, target: bytes, hosts: list[bytes]) -> None:
    lines = [b"GET %s HTTP/1.1" % target, *(b"Host: " + host for host in hosts), b"Connection: close", b"", b""]
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        connection.sendall(b"\r\n".join(lines))
        assert connection.makefile("rb").read(12) == b"HTTP/1.1 400"


@pytest.mark.parametrize("host", ["127.0.0.1:9", "localhost", "[::1]:8765", "lucid.test"])
def test_our_names_are_answered(server: Server, host: str) -> None:
    assert server.get("/health/", Host=host).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_other_pages_cannot_change_anything(server: Server, method: str, headers: dict[str, str]) -> None:
    answer = server.get("/health/", method, **headers)
    assert answer.status == 403
    assert b"Only pages of Lucid itself" in answer.body


def test_our_own_pages_get_as_far_as_the_token_of_their_form(server: Server) -> None:
    answer = server.get("/health/", "POST", Origin=server.url, Sec_Fetch_Site="same-origin")
    assert b"This form is out of date" in answer.body


@pytest.mark.parametrize(
    ("referrer", "link"),
    [
        ("http://127.0.0.1/memory/1/new/?name=a", '<a href="/memory/1/new/?name=a">Open the page again</a>'),
        ("http://evil.example/memory/", "<p>Open the page again"),
        ("http://127.0.0.1//evil.example/", "<p>Open the page again"),
        ("javascript:alert(1)", "<p>Open the page again"),
        ("", "<p>Open the page again"),
    ],
)
def test_a_form_without_its_token_is_refused_by_a_page_of_ours(referrer: str, link: str) -> None:
    client = Client(enforce_csrf_checks=True)
    answer = client.post("/runs/start/", {"kind": "import"}, headers={"host": "127.0.0.1", "referer": referrer})
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "<h1>This form is out of date</h1>" in page
    assert link in page
    assert not {"CSRF", "Django", "DEBUG", "evil"} & set(page.replace(".", " ").split())


def test_what_a_view_forbids_is_refused_by_a_page_of_ours() -> None:
    refuse: Any = get_resolver().resolve_error_handler(403)
    answer = refuse(RequestFactory().get("/"), PermissionDenied("/etc/shadow"))
    assert answer.status_code == 403
    assert b"<h1>This was refused</h1>" in answer.content
    assert b"shadow" not in answer.content


@pytest.mark.parametrize("path", ["/", "/sessions/", "/health/", "/no-such-page/", "/memory/", "/cache/breaks.csv"])
def test_no_copy_of_a_page_stays_in_the_browser(server: Server, path: str) -> None:
    assert "no-store" in server.get(path).headers["Cache-Control"]


def test_no_copy_of_a_refusal_stays_in_the_browser(server: Server) -> None:
    assert server.get("/", Host="evil.example").headers["Cache-Control"] == "no-store"
    assert server.get("/runs/start/", "POST").headers["Cache-Control"] == "no-store"


def test_static_files_are_kept_by_version_and_checked_without_one(server: Server) -> None:
    from django.templatetags.static import static

    address = static(HTMX.removeprefix("/static/"))
    whole = server.get(address)
    assert whole.status == 200
    assert whole.headers["Cache-Control"] == "max-age=31536000, public, immutable"
    assert int(whole.headers["Content-Length"]) == len(whole.body) > 10_000
    bare = server.get(address.partition("?")[0])
    assert "immutable" not in bare.headers["Cache-Control"]
    second = server.get(address.partition("?")[0], If_None_Match=bare.headers["ETag"])
    assert (second.status, second.body) == (304, b"")
