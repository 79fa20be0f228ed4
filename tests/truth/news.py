"""What is new in a version: names in transcripts and requests, and misses, that the version before it does not have."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sessions.context.engine.habits import parse
from sessions.imports.engine.known_names import find_unknowns
from sessions.imports.engine.known_names.records import METADATA_KEYS
from tests.truth import wire
from tests.truth.recordings import TRUTH
from tests.truth.report import Report
from tests.truth.wire import Json

Name = tuple[str, str]
"""What it is, and what it is called."""
_HASHED = frozenset({"n", "ts", "kind", "status", "betas", "model", "system", "tools", "messages", "response"})
"""What every row of requests has; the others are parameters of the body."""


class Played(NamedTuple):
    """One scenario with one version: what was written and sent, and the misses in it."""

    run: Path
    misses: Counter[Name]


class News(NamedTuple):
    version: str
    before: str
    scenarios: tuple[str, ...]
    unknown: Counter[Name]
    """Names in the transcripts that Lucid does not know."""
    came: tuple[Name, ...]
    went: tuple[Name, ...]
    misses: Counter[Name]
    """More of them than the version before has in the same scenarios."""

    def __str__(self) -> str:
        heading = f"What is new in {self.version}, beside {self.before} ({', '.join(self.scenarios)}):"
        lines = {
            "Lucid does not know": [f"{_words(name)} ({count} x)" for name, count in sorted(self.unknown.items())],
            "came": [_words(name) for name in self.came],
            "went": [_words(name) for name in self.went],
            "misses that came": [f"{count} x {_words(name)}" for name, count in sorted(self.misses.items())],
        }
        return "\n".join([heading, *(f"  {title}: {', '.join(items) or 'nothing'}" for title, items in lines.items())])


def played(runs: Path, reports: Path, recordings: Path) -> dict[str, dict[str, Played]]:
    """By version and scenario: what was played here, and otherwise what is in the tree."""
    known: dict[str, dict[str, Played]] = {}
    for path in sorted(recordings.glob(f"*/*/{TRUTH}")):
        misses = Counter((what, cause) for what, cause in json.loads(path.read_text("utf-8"))["misses"])
        known.setdefault(path.parent.parent.name, {})[path.parent.name] = Played(path.parent, misses)
    for path in sorted(reports.glob("*/*.json")):
        version, scenario = path.parent.name, path.stem
        if (run := runs / version / scenario).exists():
            report = Report.load(path)
            misses = Counter((miss.what, miss.cause) for miss in report.misses.get(scenario, ()))
            known.setdefault(version, {})[scenario] = Played(run, misses)
    return known


def news_of(version: str, known: Mapping[str, Mapping[str, Played]]) -> News | None:
    """Beside the nearest version before it; None if nothing that was played with both is known."""
    ours = known.get(version, {})
    earlier = sorted((item for item in known if parse(item) < parse(version)), key=parse, reverse=True)
    for before in earlier:
        scenarios = tuple(sorted(ours.keys() & known[before].keys()))
        if scenarios:
            return _compare(version, before, ours, known[before], scenarios)
    return None


def _compare(
    version: str, before: str, ours: Mapping[str, Played], theirs: Mapping[str, Played], scenarios: tuple[str, ...]
) -> News:
    unknown: Counter[Name] = Counter(
        name for scenario in ours for record in _records(ours[scenario].run) for name in find_unknowns(record)
    )
    new, old = ({name for scenario in scenarios for name in _names(side[scenario].run)} for side in (ours, theirs))
    misses: Counter[Name] = Counter()
    for scenario in scenarios:
        misses += ours[scenario].misses - theirs[scenario].misses
    came, went = tuple(sorted(new - old)), tuple(sorted(old - new))
    return News(version, before, scenarios, unknown, came, went, misses)


def _names(run: Path) -> Iterator[Name]:
    for record in _records(run):
        yield from _names_of_record(record)
    for row in wire.rows(run):
        yield from (("tool", tool["name"]) for tool in row["tools"])
        yield from (("beta", name.strip()) for name in row["betas"].split(",") if name.strip())
        yield from (("parameter", name) for name in row.keys() - _HASHED)


def _names_of_record(record: Json) -> Iterator[Name]:
    kind = str(record.get("type"))
    yield "record", kind
    yield from _keys(kind, record)
    if isinstance(subtype := record.get("subtype"), str):
        yield "subtype", subtype
    for field in METADATA_KEYS:
        yield from _keys(field, record.get(field) or ())
    if isinstance(attachment := record.get("attachment"), dict):
        name = str(attachment.get("type"))
        yield "attachment", name
        yield from _keys(f"attachment.{name}", attachment)
    if isinstance(message := record.get("message"), dict):
        yield from _keys("message", message)
        for block in wire.blocks_of(message.get("content") or []):
            yield "block", str(block.get("type"))


def _keys(owner: str, keys: Iterable[str]) -> Iterator[Name]:
    return (("key", f"{owner}.{key}") for key in keys)


def _records(run: Path) -> Iterator[Json]:
    for path in sorted((run / "projects").rglob("*.jsonl")):
        for line in path.read_text("utf-8").split("\n"):
            if line:
                yield json.loads(line)


def _words(name: Name) -> str:
    return " ".join(name)
