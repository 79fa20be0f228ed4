"""One scenario, played by one version of the client: what it sent and wrote is kept."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.inspector.agents.server import Say, messages_server
from tests.truth.client import Home
from tests.truth.connection import Connection
from tests.truth.model import ScriptedModel
from tests.truth.prompt_cache import PromptCache
from tests.truth.script import GO_ON, Script, Step
from tests.truth.terminal import ENTER, Terminal, terminal
from tests.truth.wire import Json, Kind

OPUS, SONNET, HAIKU = "claude-opus-5-5", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"
ALLOWED = ["Read", "Edit", "Write", "Bash", "Grep", "Glob", "Task", "Agent"]
HURRY = 30
"""Seconds after which a prompt that led to no request is sent once more, and an answer counts as recorded."""
_STAMP = re.compile(r'"timestamp":"([0-9T:.-]+)Z"')


class NotPlayedError(Exception):
    """The client did not do what the scenario needs; with the reason, for people."""


@dataclass(frozen=True)
class Scenario:
    name: str
    drive: Callable[[Visit], object]
    answers: Mapping[str, Sequence[Step]]
    agents: frozenset[str] = frozenset()
    files: Mapping[str, str] = field(default_factory=dict)
    settings: Json = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    density: float = 0.25
    """Tokens for a character."""
    exports: tuple[str, ...] = ()
    """Kinds of compaction of the longest session that are exported and resumed."""


@dataclass
class Visit:
    scenario: Scenario
    version: str
    home: Home

    @property
    def model(self) -> ScriptedModel:
        return self.home.model

    def say(self, words: str, *arguments: str, model: str = OPUS) -> str:
        """Starts the client for one prompt without a terminal; gives the id of the session."""
        before = len(self.model.sent)
        printing = ("--print", words, "--output-format", "stream-json", "--verbose", "--model", model)
        try:
            done = self.home.run(*printing, *arguments)
        except subprocess.TimeoutExpired as error:
            raise NotPlayedError(f"no end after {error.timeout:g} seconds") from error
        sessions = [event["session_id"] for event in events(done.stdout) if event.get("session_id")]
        if not sessions or len(self.model.sent) == before:
            raise NotPlayedError(f"status {done.returncode}: {done.stdout[-300:]} {done.stderr[-300:]}")
        return str(sessions[-1])

    def talk(
        self,
        *prompts: str | list[Json],
        meanwhile: Mapping[int, str] | None = None,
        pause: float = 0.0,
        model: str = OPUS,
    ) -> str:
        """Several prompts over one connection. `meanwhile`: sent as soon as the model has had so many requests;
        `pause`: seconds after each answer."""
        arguments = ("--print", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        with self.home.start(*arguments, "--model", model) as process:
            connection = Connection(process, self.model)
            for prompt in prompts:
                connection.ask(prompt, meanwhile or {})
                time.sleep(pause)
            connection.close()
        if not connection.session:
            raise NotPlayedError("nothing was answered over the connection")
        return connection.session

    @contextmanager
    def terminal(self, *arguments: str, model: str = OPUS) -> Iterator[Terminal]:
        with terminal(self.home, "--model", model, *arguments) as opened:
            yield opened

    def ask(self, opened: Terminal, words: str, requests: int = 1) -> None:
        """Types a prompt, and waits until so many requests of the conversation have come of it."""
        before = self.asked()
        opened.type(words)
        if not opened.until(lambda: self.asked() > before, most=HURRY):
            # A client that is late reads the words and the key at once, and takes them for a paste.
            opened.press(ENTER)
        self.wait_for(opened, before + requests)

    def wait_for(self, opened: Terminal, due: int) -> None:
        if not opened.until(lambda: self.asked() >= due):
            raise NotPlayedError(
                f"{self.asked()} requests instead of {due}; the terminal shows {opened.words()[-300:]}"
            )
        opened.until(self._is_recorded, most=HURRY)
        opened.rest()

    def _is_recorded(self) -> bool:
        """Is the last answer in a transcript? Until then the client would put a prompt into a queue."""
        last = [message for message in list(self.model.sent) if message.kind is not Kind.SIDE][-1]
        if last.response is None or last.response.get("broken"):
            return True
        sign = "compact_boundary" if last.kind is Kind.COMPACT else last.response["id"]
        return any(sign in path.read_text("utf-8", "replace") for path in self.home.projects.rglob("*.jsonl"))

    def asked(self) -> int:
        """How many requests there were, errands aside."""
        return sum(message.kind is not Kind.SIDE for message in list(self.model.sent))

    def pass_time(self, minutes: float) -> None:
        """So long, nobody did anything: what stands in the files, and what was sent, is older by that."""
        self.model.pass_time(minutes * 60)
        for path in self.home.projects.rglob("*.jsonl"):
            path.write_text(_STAMP.sub(lambda match: _earlier(match[1], minutes), path.read_text("utf-8")), "utf-8")


def _earlier(stamp: str, minutes: float) -> str:
    moved = datetime.fromisoformat(f"{stamp}+00:00") - timedelta(minutes=minutes)
    return f'"timestamp":"{moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")}"'


def events(printed: str) -> list[dict[str, Any]]:
    """What the client prints as stream-json."""
    lines = [line for line in printed.splitlines() if line.startswith("{")]
    return [json.loads(line) for line in lines]


def play(scenario: Scenario, version: str, command: Path, folder: Path, after: Callable[[Visit], None]) -> None:
    """`after` is called while the client can still be started."""
    shutil.rmtree(folder, ignore_errors=True)
    script = Script({**scenario.answers, GO_ON: [Say("Gone on.")]}, scenario.agents, work=str(folder / "tides"))
    model = ScriptedModel(f"{version} {scenario.name}", script, PromptCache(scenario.density))
    with messages_server(model):
        home = Home(folder, command, model, dict(scenario.environment))
        settings = {"permissions": {"allow": ALLOWED}, "includeCoAuthoredBy": False, **scenario.settings}
        home.prepare(dict(scenario.files), settings)
        visit = Visit(scenario, version, home)
        scenario.drive(visit)
        after(visit)
