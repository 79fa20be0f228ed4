"""One scenario, played by one version of the client: what it sent and wrote is kept."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.inspector.agents.server import messages_server
from tests.truth.client import Home
from tests.truth.model import ScriptedModel
from tests.truth.prompt_cache import PromptCache
from tests.truth.script import Script, Step
from tests.truth.wire import Json

OPUS, SONNET = "claude-opus-5-5", "claude-sonnet-4-5-20250929"
ALLOWED = ["Read", "Edit", "Write", "Bash", "Grep", "Glob", "Task", "Agent"]
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
        done = self.home.run(
            *("--print", words, "--output-format", "stream-json", "--verbose", "--model", model), *arguments
        )
        sessions = [one["session_id"] for one in events(done.stdout) if one.get("session_id")]
        if not sessions or len(self.model.sent) == before:
            raise NotPlayedError(f"status {done.returncode}: {done.stdout[-300:]} {done.stderr[-300:]}")
        return str(sessions[-1])

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
    script = Script(scenario.answers, scenario.agents, work=str(folder / "tides"))
    model = ScriptedModel(f"{version} {scenario.name}", script, PromptCache(scenario.density))
    with messages_server(model):
        home = Home(folder, command, model, dict(scenario.environment))
        settings = {"permissions": {"allow": ALLOWED}, "includeCoAuthoredBy": False, **scenario.settings}
        home.prepare(dict(scenario.files), settings)
        visit = Visit(scenario, version, home)
        scenario.drive(visit)
        after(visit)
