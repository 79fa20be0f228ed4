"""Turns a scanned stretch into rows for the statements of `writer`. The scanning process does this, so that the writing
process only writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import orjson

from sessions.text.engine.storable import storable_json
from sessions.transcripts.engine.entry_ids import BLOCK_BITS
from sessions.transcripts.engine.marks import Mark

if TYPE_CHECKING:
    # An import that finds nothing new scans nothing, so it should not load what scanning needs.
    from sessions.imports.engine.scan.batch import Batch
    from sessions.imports.engine.scan.facts import Facts
    from sessions.imports.engine.scan.stretches import Stretch
    from sessions.linking.engine import LinkState

Rows = dict[str, list[Any]]
"""Table -> rows."""

FACTS = (
    "session_id",
    "agent_id",
    "title",
    "first_prompt",
    "cwd",
    "branch",
    "version",
    "continued_in",
    "first_at",
    "last_at",
    "lines",
    "entries",
    "bad_lines",
    "recovered",
    "typed",
    "calls",
    "errors",
    "compactions",
    "peak_context",
)


def block_rows(source_id: int, stretch: Stretch) -> Rows:
    return {"block": [(source_id << BLOCK_BITS | number, *rest) for number, *rest in stretch.blocks]}


def source_rows(source_id: int, stretch: Stretch, size: int, *, owed: bool = False) -> Rows:
    archived = 0 if owed else stretch.archived
    return {"source": [(stretch.parsed, archived, stretch.head_hash, stretch.tail_hash, size, owed, source_id)]}


def batch_rows(transcript_id: int, batch: Batch) -> Rows:
    return {
        # Named tuples take four times as long to send to another process.
        "entry": [tuple(row) for row in batch.entries],
        "request": [(transcript_id, *row) for row in batch.requests],
        "turn": list(batch.turns.values()),
        "problem": [(transcript_id, *row) for row in batch.problems],
        "oddity": [
            (transcript_id, category, name, count, first) for (category, name), (count, first) in batch.oddities.items()
        ],
    }


def fact_rows(transcript_id: int, facts: Facts, links: LinkState | None) -> Rows:
    ruler = facts.ruler.to_json()
    state = {"facts": facts.to_json(), "links": links.to_json() if links else None}
    row = (
        *(getattr(facts, name) for name in FACTS),
        facts.turn.number,
        _lines(facts.model_names),
        _lines(facts.branches),
        _json(ruler),
        _json(state),
        transcript_id,
    )
    return {"transcript": [row]}


def mark_rows(transcript_id: int, marks: Iterable[Mark]) -> list[tuple[int, int, int, str, int | None]]:
    return [(transcript_id, mark.first, mark.last, mark.fate.value, mark.by) for mark in marks]


def _lines(names: Iterable[str]) -> str:
    joined = "\n".join(names)
    return f"\n{joined}\n" if joined else ""


def _json(value: object) -> str:
    return storable_json(orjson.dumps(value).decode())
