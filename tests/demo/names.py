"""The demo by name, for tests: sessions, records and the numbers that they should come to."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.demo.reading import records, usages
from tests.demo.story.guide import WORDS
from tests.demo.story.ids import agent_id, hexed, uid
from tests.demo.story.transcript import SLUG

ROOT = Path(__file__).resolve().parents[2] / "sessions" / "demo"
"""A configuration directory: it has `projects/`."""
PROJECT = ROOT / "projects" / SLUG
MEMORY = PROJECT / "memory"

LONG = uid("session long")
SURVEY = uid("session survey")
FORK = uid("session fork")
CLEARED = uid("session cleared")
OLD_INLINE = uid("session old inline")
OLD_SIBLING = uid("session old sibling")
ODD = uid("session odd")
SESSIONS = {
    "long": LONG,
    "survey": SURVEY,
    "fork": FORK,
    "cleared": CLEARED,
    "old": OLD_INLINE,
    "sibling": OLD_SIBLING,
    "odd": ODD,
}

AGENT_CONSTANTS = agent_id("survey/constants")
AGENT_TABLE_FOUR = agent_id("survey/constants/table four")
AGENT_HEIGHTS = agent_id("survey/heights")
AGENT_NOTE = agent_id("survey/note")
AGENT_LARGEST = hexed("sibling helper", 8)

BEFORE_IT_BROKE = "msg_01da2878963921045a2efded"
BROKE = "msg_01a4f44c662b86a364e4f13e"
"""In the long session: the request whose tools had changed since the one before."""

SEARCH_WORDS = WORDS
FAKE_API_KEY = "sk-ant-api03-EXAMPLE-not-a-real-key-EXAMPLE-not-a-real-key-EXAMPLE-0000"
FAKE_TOKEN = "ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0"
THIRD_PARTY_MODEL = "kelp-coder-32b"


@dataclass(frozen=True, slots=True)
class Totals:
    requests: int
    input: int
    output: int
    cache_write: int
    cache_read: int


@dataclass(frozen=True, slots=True)
class Point:
    """A record with a name: its position in file order and its uuid, if it has one."""

    position: int
    uuid: str | None


@dataclass(frozen=True, slots=True)
class Expected:
    """What one file holds, as its writer counted it."""

    session: str
    path: Path
    records: int
    lines: int
    bytes: int
    problems: int
    types: dict[str, int]
    prompts: int
    compactions: int
    tool_calls: int
    tool_errors: int
    api_errors: int
    peak_context: int
    own: Totals
    copied: Totals
    models: dict[str, Totals]
    points: dict[str, Point]
    odd_lines: dict[str, int]


class Usage:
    """Of one request, in tokens."""

    def __init__(self, counted: dict[str, Any]) -> None:
        self.input: int = counted["input_tokens"]
        self.read: int = counted["cache_read_input_tokens"]
        self.written: int = counted["cache_creation_input_tokens"]
        self.output: int = counted["output_tokens"]
        self.prompt: int = self.input + self.read + self.written

    def lost(self, before: Usage) -> int:
        """What it could have read, because the request before had it in the cache."""
        readable: int = min(before.read + before.written, self.prompt)
        return readable - self.read


@cache
def _read() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((Path(__file__).parent / "expected.json").read_text("utf-8"))
    return data


def labels() -> list[str]:
    return list(_read())


def expected(label: str) -> Expected:
    """The numbers of a file: `long`, `survey`, `survey/constants`, ..., `odd`."""
    facts = dict(_read()[label])
    facts["path"] = PROJECT / facts["path"]
    facts["own"], facts["copied"] = Totals(**facts["own"]), Totals(**facts["copied"])
    facts["models"] = {model: Totals(**total) for model, total in facts["models"].items()}
    facts["points"] = {name: Point(*place) for name, place in facts.pop("places").items()}
    return Expected(**{"odd_lines": {}, **facts})


def point(label: str, name: str) -> Point:
    """The record `name` of a file, as README.md lists them (and some more)."""
    return expected(label).points[name]


def spent(label: str, message: str = "") -> Usage:
    """What the request of an answer used, or the last request of a file."""
    counted = usages(records(expected(label).path))
    return Usage(counted[message] if message else list(counted.values())[-1])


def boundary(label: str, name: str) -> dict[str, Any]:
    """What a compaction says of itself."""
    metadata: dict[str, Any] = records(expected(label).path)[point(label, name).position]["compactMetadata"]
    return metadata


def uuid(label: str, name: str) -> str:
    result = point(label, name).uuid
    if result is None:
        raise LookupError(f"{label}: {name} has no uuid")
    return result
