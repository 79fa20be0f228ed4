"""Recordings that live in the tree: transcripts and requests of the client, without its own texts."""

from __future__ import annotations

import ast
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import sessions
from sessions.context.engine.digest import canonical, full_hash
from tests.truth import script, wire
from tests.truth.masking import Mask, names, texts, trimmed
from tests.truth.report import Judgement
from tests.truth.scenarios import SCENARIOS
from tests.truth.wire import Json

FOLDER = Path(__file__).parent / "recordings"
PHRASES = "phrases.json"
"""What was kept of the client's words in these recordings, because our rules quote it."""
TRUTH = "truth.json"
_EVERYWHERE = ("tools", "resume", "agents", "pause", "switch")
_CACHE = ("restarted", "servers", "small")
RECORDED = {
    "2.0.30": ("mixed",),
    "2.0.50": ("mixed",),
    "2.0.76": (*_EVERYWHERE, "queue"),
    "2.1.20": (*_EVERYWHERE, "compact"),
    "2.1.42": ("mixed",),
    "2.1.67": ("mixed",),
    "2.1.77": ("mixed",),
    "2.1.90": _EVERYWHERE,
    "2.1.150": ("mixed", "retries"),
    "2.1.160": (*_EVERYWHERE, "compact"),
    "2.1.197": (*_EVERYWHERE, *_CACHE, "compact"),
    "2.1.208": ("mixed",),
    "2.1.250": ("mixed", "compact"),
    "2.1.275": ("mixed",),
    "latest": (*_EVERYWHERE, *_CACHE, "compact", "hooks", "interrupted", "rewound"),
}
"""The scenarios whose recordings are in the tree, by version."""


def our_texts() -> list[str]:
    return [*texts(SCENARIOS), script.SUMMARY, script.GONE_ON, script.ERRAND]


def quoted_phrases() -> Iterator[str]:
    """Of two words and more, in the rules that make requests of transcripts."""
    for root in sessions.__path__:
        for path in Path(root).glob("*/engine/**/*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield from (line for line in node.value.splitlines() if len(trimmed(line).split()) > 1)


def record(target: Path, run: Path, judgement: Judgement) -> None:
    """Writes what a run of the client left, masked, with the phrases that were kept."""
    shutil.rmtree(target, ignore_errors=True)
    projects, logged, bodies = run / "projects", wire.rows(run), _records(run / wire.BODIES)
    files = {path.relative_to(projects): _records(path) for path in sorted(projects.rglob("*.jsonl"))}
    known = {name for records in files.values() for name in names(records)}
    mask = Mask([*our_texts(), *known, *quoted_phrases()], os.urandom(16))
    hashes = {full_hash(canonical(message)): full_hash(canonical(mask.value(message))) for message in _messages(bodies)}
    for path, records in files.items():
        place = target / "projects" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        lines = (_dump(_masked(item, mask, hashes)) for item in records)
        place.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    for path in sorted(projects.rglob("*.meta.json")):  # what a sub-agent is
        place = target / "projects" / path.relative_to(projects)
        place.write_text(_dump(mask.value(json.loads(path.read_text("utf-8")))) + "\n", "utf-8")
    wire.write(target, [wire.anew(item, mask.value(body)) for item, body in zip(logged, bodies, strict=True)])
    (target / TRUTH).write_text(json.dumps(summary(judgement), indent=1) + "\n", "utf-8")
    kept = sorted(mask.kept - {trimmed(line) for text in our_texts() for line in text.splitlines()} - known)
    (target / PHRASES).write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", "utf-8")


def summary(judgement: Judgement) -> Json:
    """What must be the same whether the texts are masked or not."""
    verdicts = judgement.verdicts
    return {
        "requests": len(verdicts),
        "conversations": sum(verdict.conversation for verdict in verdicts),
        "whole": sum(verdict.whole for verdict in verdicts),
        "agents": sum(verdict.agent for verdict in verdicts),
        "breaks": [judgement.breaks, judgement.breaks_found, judgement.breaks_false, judgement.causes_right],
        "misses": sorted([miss.what, miss.cause] for miss in judgement.misses),
    }


def mask_of(folder: Path) -> Mask:
    """The one of this recording, but for the salt: it leaves the recording as it is."""
    known = {name for path in folder.rglob("projects/**/*.jsonl") for name in names(_records(path))}
    return Mask([*our_texts(), *known, *json.loads((folder / PHRASES).read_text("utf-8"))])


def _masked(record: Json, mask: Mask, hashes: dict[str, str]) -> Json:
    kind = record.get("type")
    if kind == "api-request":
        return {**mask.value(record), "tail": [hashes.get(item, item) for item in record.get("tail", ())]}
    if kind == "api-request-blob":
        return {**mask.value(record), "hash": hashes.get(record["hash"], record["hash"])}
    if kind == "api-request-shape":
        return {**record, "shape": _shortened(record["shape"])}
    if kind == "attachment" and record["attachment"].get("type") == "prompt_snapshot":
        return {**mask.value({**record, "attachment": None}), "attachment": _shortened(record["attachment"])}
    masked: Json = mask.value(record)
    return masked


def _shortened(value: Any) -> Any:
    """Nothing but names is left as it is."""
    if isinstance(value, str):
        return value if len(value.split()) == 1 else f"{len(value)} {full_hash(value)[:24]}"
    if isinstance(value, dict):
        return {name: _shortened(item) for name, item in value.items() if name != "input_schema"}
    return [_shortened(item) for item in value] if isinstance(value, list) else value


def _messages(bodies: Iterable[Json]) -> Iterator[Json]:
    for body in bodies:
        for message in body["messages"]:
            yield _unmarked(message)


def _unmarked(message: Json) -> Json:
    content = message["content"]
    if isinstance(content, str):
        return message
    bare = [{name: value for name, value in block.items() if name != "cache_control"} for block in content]
    return {**message, "content": bare}


def _records(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _dump(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
