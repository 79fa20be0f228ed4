"""The product with something to lose: sessions, memory, captures and runs, behind a real `lucid serve`; and beside them
what a hostile neighbour has left. Every text that is shown holds markup, unseen characters and keys."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import string
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from inspector.owner.key import owner_key
from tests.attack.client import Browser
from tests.serving import Server, lucid, serving, wait_until
from tests.sessions.capture.capturing import message
from tests.sessions.capture.endpoint.rawserver import RawServer, Taken, raw_server, whole
from tests.sessions.hostile import PAYLOAD, UNSEEN, everywhere, save_with_family
from tests.sessions.writing import Writing

HOSTILE = "99999999-2222-4333-8444-555555555555"
SHARED = "88888888-2222-4333-8444-555555555555"
SLUG = "-home-dev-tidewatch"
PATIENCE = 400.0
"""Seconds, for a machine that has other things to do."""
PRIVATE = "the tide tables of the admiralty"
"""Stands in a file that only the owner can read, and that nothing in the product may show."""


@dataclass
class World:
    folder: Path
    server: Server
    upstream: RawServer
    keys: tuple[str, ...]
    """Secrets that stand in the session, the memory and the captures."""
    memory_number: int = 0
    marks: list[Path] = field(default_factory=list)

    @property
    def home(self) -> Path:
        return self.server.home

    @property
    def config(self) -> Path:
        return self.folder / "config"

    @property
    def memory(self) -> Path:
        return self.config / "projects" / SLUG / "memory"

    @property
    def shared(self) -> Path:
        """A project that everybody may write to."""
        return self.folder / "shared"

    @property
    def private(self) -> Path:
        return self.folder / "private" / "tables.txt"

    @property
    def mark(self) -> Path:
        """Made by a planted command, if it runs."""
        return self.folder / "it-ran"

    def browser(self) -> Browser:
        return Browser(self.server.port, self.server.cookie)

    def lucid(self, *arguments: str, **extra: str) -> Any:
        return lucid(self.home, *arguments, CLAUDE_CONFIG_DIR=str(self.config), **extra)

    def print_of_memory(self) -> str:
        """Changes when any memory file does."""
        state = hashlib.sha256()
        for path in sorted(self.memory.rglob("*")):
            state.update(os.fsencode(path))
            if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
                state.update(path.read_bytes())
        return state.hexdigest()

    def numbers(self) -> dict[str, str]:
        """Values for the parameters of addresses that lead to something."""
        number = str(self.memory_number)
        return {"session": HOSTILE, "number": number, "directory_id": number, "name": "capture", "form": "md"}


@contextmanager
def world(folder: Path) -> Iterator[World]:
    """`folder` is to be seen by others, as a home directory often is."""
    folder.chmod(0o755)
    keys = _keys(random.Random(14))
    _prepare(folder, keys)
    with raw_server(lambda taken: _answer(taken, keys)) as upstream:
        given = {"CLAUDE_CONFIG_DIR": str(folder / "config"), "LUCID_CAPTURE_UPSTREAM": upstream.url}
        with serving(folder / "home", **given) as server:
            made = World(folder, server, upstream, keys)
            _fill(made)
            yield made


def addresses(values: dict[str, str]) -> list[str]:
    """One for each pattern that there is."""
    return sorted({fill(route, values) for route, _ in routes()})


def routes() -> Iterator[tuple[str, URLPattern]]:
    yield from _routes(get_resolver().url_patterns)


def fill(route: str, values: dict[str, str]) -> str:
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda match: values.get(match[1], "1"), f"/{route}")


def _routes(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        route = f"{before}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route, pattern


def _keys(dice: random.Random) -> tuple[str, ...]:
    """Made when they are needed: no file of the project holds anything like a key."""

    def text(count: int, letters: str = string.ascii_letters + string.digits) -> str:
        return "".join(dice.choices(letters, k=count))

    return (f"sk-ant-api03-{text(93)}AA", f"ghp_{text(36)}", f"AKIA{text(16, string.ascii_uppercase)}")


def _prepare(folder: Path, keys: tuple[str, ...]) -> None:
    # Not in ids and names: an address has to hold those as they are.
    text, spoken = f"{PAYLOAD} {UNSEEN}", f"{PAYLOAD} {' '.join(keys)}"
    project = folder / "config" / "projects" / SLUG
    save_with_family(everywhere(text), project, text, "spilled.txt")
    shared = Writing(session=SHARED)
    for turn in range(6):
        shared.user(f"Turn {turn}: what about {spoken}?", cwd=str(folder / "shared"), gitBranch=text)
        shared.assistant(f"{spoken} " * 20, cwd=str(folder / "shared"), model=text)
        shared.call(
            "Bash", f"toolu_{turn}", command=f"curl -H 'x-api-key: {keys[0]}' {text}", cwd=str(folder / "shared")
        )
        shared.result(f"toolu_{turn}", spoken, cwd=str(folder / "shared"))
    shared.save(project)
    memory = project / "memory"
    memory.mkdir()
    header = f"---\nname: {json.dumps(text)}\ndescription: {json.dumps(spoken)}\ntype: project\n---\n\n"
    (memory / "tides.md").write_text(f"{header}# {text}\n\n- {spoken}\n")
    (memory / "<img src=x onerror=alert(6)>.md").write_text(f"{spoken}\n")
    (memory / "MEMORY.md").write_text(f"# {text}\n\n- [{text}](tides.md) — {spoken}\n")
    (folder / "private").mkdir(mode=0o700)
    (folder / "private" / "tables.txt").write_text(f"{PRIVATE}\n")
    (folder / "private" / "tables.txt").chmod(0o600)
    (folder / "shared").mkdir()
    (folder / "shared").chmod(0o777)
    (memory / "linked.md").symlink_to(folder / "private" / "tables.txt")
    (memory / "linked").symlink_to(folder / "private")


def _answer(taken: Taken, keys: tuple[str, ...]) -> Any:
    text = f"{PAYLOAD} {' '.join(keys)}"
    words = json.dumps(message("msg_captured", {"type": "text", "text": text})).encode()
    return whole(words, b"content-type: application/json")


def _fill(made: World) -> None:
    browser = made.browser()
    wait_until(lambda: SHARED.encode() in browser.get("/sessions/").content, PATIENCE)
    wait_until(lambda: b"memory" in browser.get("/memory/").content, PATIENCE)
    _capture(made)
    wait_until(lambda: b"/captures/1/" in browser.get("/captures/").content, PATIENCE)
    for session, kind in ((SHARED, "full"), (HOSTILE, "microcompact")):
        result = made.lucid("compact", session, "--kind", kind, "--model", "mechanical", "--json")
        assert result.returncode == 0, result.stderr
    result = made.lucid("dream", str(made.memory), "--json")
    assert result.returncode == 0, result.stderr
    match = re.search(r'href="/memory/(\d+)/"', browser.get("/memory/").content.decode())
    assert match, "no memory directory is listed"
    made.memory_number = int(match[1])


def _capture(made: World) -> None:
    text = f"{PAYLOAD} {' '.join(made.keys)}"
    tool = {"name": text, "description": text, "input_schema": {"type": "object", "properties": {text: {}}}}
    server = {"type": "url", "url": f"https://mcp.host/?token={made.keys[0]}", "name": text}
    body = {
        "model": text,
        "max_tokens": 9,
        "system": text,
        "tools": [tool],
        "mcp_servers": [server],
        "api_key": made.keys[0],
        "messages": [{"role": "user", "content": text}],
        "metadata": {"user_id": text},
    }
    browser = Browser(made.server.port)
    headers = {"Content-Type": "application/json", "User-Agent": f"claude {PAYLOAD}", "X-Api-Key": made.keys[0]}
    secret = owner_key(made.home).capture_secret
    answer = browser.ask("POST", f"/capture/{secret}/v1/messages", json.dumps(body), headers)
    assert answer.status_code == 200, answer.content
