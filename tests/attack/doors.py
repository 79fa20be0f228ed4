"""Those who want in: without proof, with forged proof, as another user, from another site, under another name."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

from inspector.owner.access_tokens import FOLDER, LIFETIME_SECONDS
from inspector.owner.key import COOKIE_SECONDS, OwnerKey, owner_key
from tests.attack.area import Area
from tests.attack.client import Browser, raw
from tests.attack.world import HOSTILE, PRIVATE, SHARED, World, addresses
from tests.inspector.owner.neighbour import Neighbour, Request
from tests.serving import bound_to

METHODS = ("GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND")
QUICK_METHODS = ("GET", "POST", "OPTIONS")
ACCEPTED = ("*/*", "text/html", "application/json")
DATA = (HOSTILE, SHARED, "tides", "tidewatch", "lucid_csrf", PRIVATE)
"""Words of the owner's. None of them may reach a stranger."""


def without_proof(world: World, *, thorough: bool) -> Area:
    """Every route, by every method, with everything but a cookie that looks right."""
    area = Area("every route without proof")
    stranger = Browser(world.server.port)
    headers = {"Origin": world.server.url, "Sec-Fetch-Site": "same-origin"}
    for address in [*addresses(world.numbers()), *_odd_addresses()]:
        for method in METHODS if thorough else QUICK_METHODS:
            for accepted in ACCEPTED if thorough else ACCEPTED[:1]:
                answer = stranger.ask(method, address, headers={**headers, "Accept": accepted})
                stranger.cookies.clear()
                area.expect(_tells_nothing(answer.status_code, answer.content, address), (method, address, answer))
    stranger.close()
    return area


def as_neighbour(world: World, neighbour: Neighbour, *, thorough: bool) -> Area:
    """The same from a process of another user, which also tries to plant a memory."""
    area = Area("every route as another user")
    headers = {"Origin": world.server.url, "Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
    methods = METHODS if thorough else QUICK_METHODS[:2]
    requests = [(method, address, headers, "") for address in addresses(world.numbers()) for method in methods]
    number = world.memory_number
    for address in (f"/memory/{number}/new/", f"/memory/{number}/edit/", "/runs/start/", "/settings/"):
        requests.append(("POST", address, headers, "name=planted.md&text=planted"))
    before = world.print_of_memory()
    answers = neighbour.asks(*requests, port=world.server.port)
    for request, (status, body) in zip(requests, answers, strict=True):
        area.expect(_tells_nothing(status, body.encode(), request[1]), (request[:2], status, body))
    area.expect(world.print_of_memory() == before, "the memory has changed")
    return area


def proofs(world: World, *, thorough: bool) -> Area:
    """Tokens and cookies that are wrong, old, used, cut, forged or of somebody else."""
    area = Area("wrong, old, used and forged proof")
    name = owner_key(world.home).cookie_name
    for cookie in _cookies(world, thorough=thorough):
        answer = Browser(world.server.port).ask("GET", "/sessions/", headers={"Cookie": cookie})
        area.expect(_is_refused(answer.status_code, answer.content), (cookie, answer.status_code))
    good = world.server.cookie.partition("=")[2]
    for address in (f"/sessions/?{name}={good}", f"/sessions/;{name}={good}", f"/{good}/sessions/"):
        answer = Browser(world.server.port).ask("GET", address, headers={"Authorization": f"Bearer {good}"})
        area.expect(_is_refused(answer.status_code, answer.content), (address, answer.status_code))
    for token in _tokens(world, thorough=thorough):
        answer = Browser(world.server.port).ask("GET", f"/enter/?token={token}")
        held = _is_refused(answer.status_code, answer.content) and not answer.headers["Set-Cookie"]
        area.expect(held, (token, answer.status_code))
    for method in ("POST", "HEAD", "PUT"):
        entry = urlsplit(world.lucid("open").stdout.strip())
        answer = Browser(world.server.port).ask(method, f"{entry.path}?{entry.query}")
        area.expect(answer.status_code == 403 and not answer.headers["Set-Cookie"], (method, answer.status_code))
    return area


def by_socket(folder: Path, neighbour: Neighbour, *, thorough: bool) -> Area:
    """A socket file, also where its mode would let everybody connect."""
    area = Area("the socket file as another user")
    folder.chmod(0o755)
    path = folder / "lucid.sock"
    paths = ("/", "/health/", "/settings/", "/sessions/", "/enter/", "/capture/v1/messages")
    requests: list[Request] = [
        (method, item, {}, "") for item in paths for method in (METHODS if thorough else QUICK_METHODS)
    ]
    with bound_to(f"unix:{path}", folder / "home", "--no-watch", LUCID_WORKER="off"):
        for mode in (0o600, 0o666, 0o777):
            path.chmod(mode)
            for request, (status, body) in zip(requests, neighbour.asks(*requests, path=str(path)), strict=True):
                area.expect(status == 0, (oct(mode), request[:2], status, body))
    return area


def hosts(world: World, *, thorough: bool) -> Area:
    """Names that a page of another site can have resolved to this machine, with the owner's own cookie."""
    area = Area("foreign hosts")
    cookie = world.server.cookie.encode()
    port = world.server.port
    secret = owner_key(world.home).capture_secret.encode()

    def response_to(path: bytes, *lines: bytes) -> bytes:
        head = (b"GET " + path + b" HTTP/1.1", *lines, b"Cookie: " + cookie, b"Connection: close", b"", b"")
        return raw(port, b"\r\n".join(head))

    for path in (b"/sessions/", b"/health/", b"/static/css/base.css", b"/capture/" + secret + b"/v1/models"):
        # With its own name the same request is answered: what follows fails for the name alone.
        own = response_to(path, b"Host: 127.0.0.1")
        assert _status(own) == 200, own[:500]
        for before, *lines in _host_lines(port):
            answer = response_to(before + path, *lines)
            area.expect(_status(answer) in (0, 400), (before + path, lines, answer[:200]))
    return area


def forgeries(world: World, *, thorough: bool) -> Area:
    """What a page of another site can make the owner's browser send: to every route, in every guise."""
    area = Area("requests forged by another site")
    browser = world.browser()
    here = world.server.url
    guises: list[dict[str, str]] = [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": here.replace("127.0.0.1", "localhost")},
        {"Origin": f"{here}.evil.example"},
        {"Origin": f"{here}1"},
        {"Referer": "http://evil.example/"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": here},
        {},
        {"Origin": here},
    ]
    kinds = ("application/x-www-form-urlencoded", "text/plain", "application/json")
    before = world.print_of_memory(), browser.get("/runs/").content.count(b"/runs/")
    cookies = dict(browser.cookies)
    for address in addresses(world.numbers()):
        for guise in guises if thorough else guises[::5]:
            for kind in kinds if thorough else kinds[:1]:
                headers = {"Content-Type": kind, **guise}
                body = "name=planted.md&text=planted&kind=import&csrfmiddlewaretoken=" + "a" * 64
                browser.cookies = dict(cookies)
                answer = browser.ask("POST", address, body, headers)
                area.expect(answer.status_code in (403, 404, 405), (address, guise, kind, answer.status_code))
    browser.cookies = cookies
    after = world.print_of_memory(), browser.get("/runs/").content.count(b"/runs/")
    area.expect(before == after, "memory or runs have changed")
    browser.close()
    return area


def _odd_addresses() -> Iterator[str]:
    yield from ("//", "/sessions", "//sessions/", "/./sessions/", "/health/../sessions/", "/static/../sessions/")
    yield from ("/%73essions/", "/static/%2e%2e/sessions/", "/favicon.ico/../sessions/", "/health//", "/health/x")
    yield from ("/SESSIONS/", "/sessions/;/health/", "/sessions/?/health/", "/sessions/%00", "/health%2f..%2fsessions/")
    yield from ("/static/..%5c..%5csettings.py", "/static//etc/passwd", "/enter/?next=/sessions/", "/favicon.icox")


def _tells_nothing(status: int, body: bytes, address: str) -> bool:
    if any(word.encode() in body for word in DATA):
        return False
    if status == 200:
        return address == "/health/" and body in (b"", b'{"status": "ok"}')
    if address == "/favicon.ico":
        return status == 403 or (status == 302 and not body)
    return status in (400, 403, 404, 405, 501, 503) or (status == 0 and body != b"")


def _is_refused(status: int, body: bytes) -> bool:
    return status in (400, 403, 431) and not any(word.encode() in body for word in DATA)


def _cookies(world: World, *, thorough: bool) -> Iterator[str]:
    key, now = owner_key(world.home), time.time()
    good = key.cookie(now)
    content, _, signature = good.rpartition(".")
    old = key.cookie(now - COOKIE_SECONDS - 60)
    other = OwnerKey(b"of somebody else")
    values = [
        "",
        ".",
        "..",
        "1",
        "1.2.3",
        content,
        f"{content}.",
        f"{content}.{'0' * 64}",
        f"{content}.{signature[:-1]}",
    ]
    values += [f"{content}.{signature.upper()}", f"{content}.{signature}0", f".{signature}", f"{signature}.{content}"]
    values += [f"{int(now) + 10**9}.{content.partition('.')[2]}.{signature}", f"{content}.\x00{signature}", old]
    values += [other.cookie(now), f"-1.{content.partition('.')[2]}.{signature}", quote(f"{good} "), f"{good}\u00e9"]
    values += ["9" * 5000, f"nan.x.{signature}", f"{content}.{signature.replace('a', 'á')}"]
    step = 1 if thorough else 16
    values += [good[:index] + chr(ord(good[index]) ^ 1) + good[index + 1 :] for index in range(0, len(good), step)]
    names = (key.cookie_name, key.cookie_name.upper(), f" {key.cookie_name[:-1]}", f"x{key.cookie_name}")
    yield from (f"{key.cookie_name}={value}" for value in values if "\x00" not in value and value.isascii())
    yield from (f"{name}={good}" for name in names[1:])
    # Two of one name: the later one counts, whichever the browser means.
    yield f"{key.cookie_name}={good}; {key.cookie_name}=forged"
    yield f"{other.cookie_name}={good}"
    yield f"lucid_csrf={good}"


def _tokens(world: World, *, thorough: bool) -> Iterator[str]:
    yield from ("", "x", "..%2fowner.key", "%2e%2e%2fsecret.key", "%00", "a" * 10_000, "open.html", ".", "..", "*")
    yield from (quote("\udcff", errors="surrogatepass"), quote("é"), "%ff", "[]", "%2fetc%2fpasswd")
    folder = world.home / FOLDER
    yield from (path.name for path in folder.iterdir())
    used = urlsplit(world.lucid("open").stdout.strip())
    first = Browser(world.server.port).ask("GET", f"{used.path}?{used.query}")
    assert first.status_code == 303, first
    yield used.query.removeprefix("token=")
    before = set(folder.iterdir())
    late = urlsplit(world.lucid("open").stdout.strip())
    for path in set(folder.iterdir()) - before:
        os.utime(path, (time.time() - LIFETIME_SECONDS - 60,) * 2)
    yield late.query.removeprefix("token=")
    fresh = urlsplit(world.lucid("open").stdout.strip()).query.removeprefix("token=")
    step = 1 if thorough else 8
    yield from (
        fresh[:index] + ("A" if fresh[index] != "A" else "B") + fresh[index + 1 :]
        for index in range(0, len(fresh), step)
    )
    yield from (fresh[:-1], f"{fresh}A", fresh.swapcase(), f"&token=x&token={fresh}&", f"%20{fresh}")


def _host_lines(port: int) -> Iterator[tuple[bytes, ...]]:
    """What stands before the path in the request line, and the lines of the host."""
    index = str(port).encode()
    names = (
        b"evil.example",
        b"evil.example:" + index,
        b"127.0.0.1.evil.example",
        b"localhost.evil.example:" + index,
        b"127.0.0.1@evil.example",
        b"evil.example#127.0.0.1",
        b"evil.example/127.0.0.1",
        b"127.0.0.1:80@evil.example",
        b"127.0.0.1, evil.example",
        b"evil.example 127.0.0.1",
        b"0.0.0.0",
        b"0",
        b"[::]",
        b"[::ffff:169.254.169.254]",
        b"169.254.169.254",
        b"2130706433",
        b"0x7f000001",
        b"127.1",
        b"localhost%00.evil.example",
        b"xn--lcalhost-x4a",
        b"loc\xc3\xa1lhost",
        b"127.0.0.1:port",
        b"[::1",
        b"",
        b"*",
        b"lucid.local",
        b"1.0.0.127.in-addr.arpa",
        b"127.0.0.1.nip.io:" + index,
        b".",
        b"..",
        b"x" * 300,
    )
    yield from ((b"", b"Host: " + name) for name in names)
    yield (b"",)  # no host at all
    yield b"", b"Host: 127.0.0.1", b"Host: evil.example"
    yield b"", b"Host: evil.example", b"Host: 127.0.0.1"
    yield b"", b"Host: evil.example", b"X-Forwarded-Host: 127.0.0.1"
    yield b"http://evil.example", b"Host: 127.0.0.1"
    yield b"http://127.0.0.1@evil.example", b"Host: 127.0.0.1"


def _status(answer: bytes) -> int:
    first = answer.split(b"\r\n", 1)[0].split()
    return int(first[1]) if len(first) > 1 and first[1].isdigit() else 0
