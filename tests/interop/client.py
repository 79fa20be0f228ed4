"""The real client, run without a terminal against the server of the tests, with nothing of the person who runs it.

It is a black box: what counts is what it sends and what it writes. It is found in LUCID_TEST_CLAUDE, on the PATH, or
where `make interop` puts it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sessions.context.engine.client_versions import records_wording
from sessions.transcripts.engine.slug import slug
from tests.inspector.agents.server import MessagesServer

PLACED = Path(__file__).parents[2] / "build/interop/node_modules/.bin/claude"
PATIENCE = 120
QUIET = (
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_AUTOUPDATER",
    "DISABLE_BUG_COMMAND",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
)


@cache
def client_command() -> str:
    """The command; empty if there is none that can be held to what it is given."""
    return "" if missing() else _named()


@cache
def missing() -> str:
    """Why there is no client."""
    if not _named():
        return "the real client is not installed"
    version = _version(_named())
    if not version:
        return f"{_named()} does not run"
    if not records_wording(version):
        return f"the client is {version}, which words all attachments anew"
    return ""


def _named() -> str:
    placed = str(PLACED) if PLACED.exists() else ""
    return os.environ.get("LUCID_TEST_CLAUDE") or shutil.which("claude") or placed


def _version(command: str) -> str:
    try:
        result = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=PATIENCE, check=False)
    except OSError:
        return ""
    match = re.match(r"\d+\.\d+\.\d+", result.stdout)
    return match[0] if match and not result.returncode else ""


@dataclass(frozen=True)
class Client:
    """One person with one project: a home, a configuration, a working directory."""

    home: Path
    server: MessagesServer
    through: str = ""
    """Whom it asks, if not the server itself."""

    @property
    def work(self) -> Path:
        return self.home / "work"

    @property
    def sessions(self) -> Path:
        """Where it looks for the sessions of that directory."""
        return self.home / "config" / "projects" / slug(str(self.work))

    def resume(self, session: str, words: str, *, model: str) -> list[dict[str, Any]]:
        """Goes on with a session, and gives the messages of the request in which these words were sent."""
        count = len(self.server.requests)
        result = self.run("--resume", session, "--print", words, "--model", model)
        messageses_value = [request.json["messages"] for request in self.server.requests[count:]]
        sent = [messages for messages in messageses_value if words in json.dumps(messages)]
        assert sent, f"It did not go on: {result.stdout} {result.stderr}"
        first: list[dict[str, Any]] = sent[0]
        return first

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        self.work.mkdir(parents=True, exist_ok=True)
        return subprocess.run(
            [client_command(), *arguments],
            cwd=self.work,
            env={
                **dict.fromkeys(QUIET, "1"),
                "PATH": os.environ["PATH"],
                "HOME": str(self.home),
                "CLAUDE_CONFIG_DIR": str(self.home / "config"),
                "ANTHROPIC_BASE_URL": self.through or self.server.url,
                "ANTHROPIC_API_KEY": self.server.key,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
