"""Ways out of the directories: in every part of every address, in every parameter, in forms and on the command line."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from urllib.parse import quote

from django.urls import URLPattern

from tests.attack.area import Area
from tests.attack.client import Answer
from tests.attack.world import PRIVATE, World, fill, routes

_ASKED = re.compile(r"(?:GET|POST)(?:\.get|\.getlist)?[\[(]\s*\"(\w+)\"")
_PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")
TEXTUAL = ("", "str", "path", "any", "slug")
_LINES = "x\r\nSet-Cookie: planted=1\r\n\r\n"


def corpus(world: World) -> list[str]:
    private = str(world.private)
    ways = [
        private,
        f"../../../../private/{world.private.name}",
        f"..{'/..' * 20}{private}",
        "/etc/passwd",
        "../../../../../../../../etc/passwd",
        "....//....//....//etc/passwd",
        "..\\..\\..\\etc\\passwd",
        "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "..%252f..%252fetc%252fpasswd",
        "..%c0%af..%c0%afetc/passwd",
        "/proc/self/environ",
        "file:///etc/passwd",
        f"tides.md\0{private}",
        "linked.md",
        "linked/tables.txt",
        ".",
        "..",
        "~/.ssh/id_rsa",
        "//evil.example/x",
        "http://evil.example/",
        "javascript:alert(1)",
        _LINES,
        "-1",
        "9" * 400,
        "\u202e\u2066",
        "{{7*7}}",
        "' OR 1=1 --",
        "$(touch it-ran)",
        "%s%n%x",
        "nan",
    ]
    return [*ways, *(f"{way}.md" for way in ways[:4])]


def addresses(world: World, *, thorough: bool) -> Area:
    """Every part of every address and every parameter that a view asks for."""
    area = Area("ways out in addresses and parameters")
    browser = world.browser()
    values = corpus(world) if thorough else corpus(world)[:9:4]
    for route, pattern in routes():
        for address in _addresses(route, pattern, values, world):
            answer = browser.get(address)
            area.expect(_is_harmless(answer), (address, answer.status_code, answer["Location"]))
    area.expect(not world.mark.exists(), "a command ran")
    browser.close()
    return area


def forms(world: World, *, thorough: bool) -> Area:
    """Names of memory files, sent by a form with its token, as the owner's own browser would."""
    area = Area("ways out in forms")
    browser = world.browser()
    number = world.memory_number
    before = {str(path) for path in world.folder.rglob("*") if not path.is_relative_to(world.home)}
    content = world.private.read_bytes()
    names = [*corpus(world), "two\nlines.md", "right\u202eleft.md", "zero\u200bwidth.md", "tab\there.md", "bell\a.md"]
    for name in names if thorough else names[::6]:
        for address, form in (
            (f"/memory/{number}/new/", {"name": name, "text": "planted", "form": "whole", "description": "x"}),
            (f"/memory/{number}/edit/", {"name": name, "text": "planted", "form": "whole", "expected": ""}),
            (f"/memory/{number}/rename/", {"name": "tides.md", "to": name}),
            (f"/memory/{number}/move/", {"name": "tides.md", "to": name, "into": name}),
            (f"/memory/{number}/split/", {"name": "tides.md", "to": name, "first": name, "second": name}),
        ):
            answer = browser.post(address, form, page=f"/memory/{number}/new/")
            area.expect(answer.status_code != 500 and _is_harmless(answer), (address, name, answer.status_code))
    after = {str(path) for path in world.folder.rglob("*") if not path.is_relative_to(world.home)}
    for path in sorted(after - before):
        inside = path.startswith(f"{world.memory}/") and path.isprintable()
        area.expect(inside, f"made: {path!r}")
    area.expect(world.private.read_bytes() == content, "a file outside of the memory was changed")
    area.expect((world.memory / "tides.md").exists(), "a file got a name that is none")
    browser.close()
    return area


def arguments(world: World, *, thorough: bool) -> Area:
    """On the command line: names of sessions, memory files, captures and runs."""
    area = Area("ways out on the command line")
    memory = str(world.memory)
    verbs: list[tuple[str, ...]] = [("memory", "show", memory), ("requests",), ("capture", "show"), ("export",)]
    verbs += [("memory", "history", memory), ("cache",), ("context",)]
    values = [value for value in corpus(world) if "\0" not in value]
    for verb in verbs if thorough else verbs[:1]:
        for value in values[::4] if thorough else values[1:2]:
            tail = ("--to", str(world.folder / "exported")) if verb == ("export",) else ()
            result = world.lucid(*verb, *tail, "--", value)
            output = result.stdout + result.stderr
            held = PRIVATE not in output and "root:x:0" not in output and "Traceback" not in output
            area.expect(held and result.returncode in (0, 1, 2), (verb, value, result.returncode, output[-300:]))
    area.expect(not (world.folder / "exported").exists(), "something was exported")
    return area


def _addresses(route: str, pattern: URLPattern, values: list[str], world: World) -> Iterator[str]:
    usual = world.numbers()
    for kind, name in _PARAMETER.findall(route):
        if kind in TEXTUAL:
            for value in values:
                yield fill(route, {**usual, name: quote(value, safe="")})
                yield fill(route, {**usual, name: quote(value)})
    for name in _names(_view(pattern)):
        for value in values[::3]:
            yield f"{fill(route, usual)}?{name}={quote(value, safe='')}"


def _view(pattern: URLPattern) -> Callable[..., Any]:
    view: Callable[..., Any] = inspect.unwrap(pattern.callback)
    return view


@cache
def _names(view: Callable[..., Any]) -> tuple[str, ...]:
    """The parameters that the module of a view asks for; all of them for each of its pages."""
    module = inspect.getmodule(view)
    return tuple(sorted(set(_ASKED.findall(inspect.getsource(module))))) if module else ()


def _is_harmless(answer: Answer) -> bool:
    if answer.status_code >= 500 or "planted=" in str(answer.headers.get_all("Set-Cookie", [])):
        return False
    if (not answer["Location"].startswith("/") and answer["Location"]) or answer["Location"].startswith("//"):
        return False
    return PRIVATE.encode() not in answer.content and b"root:x:0" not in answer.content
