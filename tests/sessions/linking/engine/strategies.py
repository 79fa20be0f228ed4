"""Random rows: plain nonsense, and likely conversations with every kind of accident.

Drawn as a seed and a size: rows by the dozen, each with half a record, are too much to draw one by one.
"""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from sessions.linking.engine import LinkRow
from sessions.transcripts.engine.flags import Flag
from sessions.transcripts.engine.keys import key_of
from tests.sessions.linking.engine.log import Log, kept

NAMES = [f"id{number}" for number in range(12)]
KEYS = [key_of(name) for name in NAMES]
DETAILS = ["", "", "compact_boundary", "microcompact_boundary", "snip_boundary", "Task", "Read"]
TYPES = [
    *("user", "user", "assistant", "assistant", "system", "attachment", "progress", "unheard-of"),
    *("last-prompt", "content-replacement", "marble-origami-commit", "marble-origami-reset", "mode"),
]
FLAGS = [Flag.TYPED, Flag.CALL, Flag.RESULT, Flag.SIDECHAIN, Flag.SUMMARY, Flag.ROOT, Flag.META, Flag.BOUNDARY]
FIELDS: dict[str, Any] = {
    "leafUuid": "id",
    "logicalParentUuid": "id",
    "compactMetadata": {
        "preservedSegment": {"headUuid": "id", "anchorUuid": "id", "tailUuid": "id"},
        "preservedMessages": {"anchorUuid": "id", "uuids": ["id"], "allUuids": ["id"]},
    },
    "microcompactMetadata": {"compactedToolIds": ["id"], "clearedAttachmentUUIDs": ["id"]},
    "snipMetadata": {"removedUuids": ["id"]},
    "summarizeMetadata": {"direction": "way", "messagesSummarized": "count"},
    "replacements": [{"toolUseId": "id"}],
    "firstArchivedUuid": "id",
    "lastArchivedUuid": "id",
    "message": {"content": [{"type": "block", "text": "id", "input": {"prompt": "id"}}]},
}


def _fill(random: Random, shape: Any) -> Any:
    """A value of this shape, with a wrong type or a hole anywhere."""
    if random.random() < 0.1:
        return random.choice([None, True, 3, -1.5, "", "id1", [], {}, [None, 3, "id2"], {"id1": ["id1"]}])
    if isinstance(shape, dict):
        return {name: _fill(random, inner) for name, inner in shape.items() if random.random() < 0.8}
    if isinstance(shape, list):
        return [_fill(random, shape[0]) for _ in range(random.randrange(5))]
    if shape == "way":
        return random.choice(["up_to", "from"])
    if shape == "count":
        return random.randrange(9)
    if shape == "block":
        return random.choice(["text", "tool_use"])
    return random.choice([*NAMES, "missing", "00000000-0000-0000-0000-000000000000"])


def _nonsense(seed: int, size: int) -> list[LinkRow]:
    random = Random(seed)

    def key() -> int | None:
        return random.choice(KEYS) if random.random() < 0.8 else None

    rows: list[LinkRow] = []
    for position in range(size):
        flags = Flag(0)
        for flag in random.sample(FLAGS, random.randrange(3)):
            flags |= flag
        record = _fill(random, FIELDS) if random.random() < 0.6 else None
        extra = record if isinstance(record, dict) else None
        kind, detail = random.choice(TYPES), random.choice(DETAILS)
        index = random.choice([None, 1, 2])
        rows.append(LinkRow(position, kind, detail, key(), key(), key(), key(), flags, extra, index))
    return rows


def nonsense() -> st.SearchStrategy[list[LinkRow]]:
    return st.builds(_nonsense, st.integers(0, 2**32), st.integers(0, 24))


def _conversation(seed: int, size: int) -> list[LinkRow]:
    """Rows that a client could have written, with an accident every dozen rows or so."""
    random = Random(seed)
    log = Log()
    open_calls: list[tuple[str, str]] = []
    message = ""
    while len(log.rows) < size:
        name = f"row{len(log.rows)}"
        before = log.last
        earlier: list[Any] = log.uuids[-12:] or [None]
        accident = random.random()
        if accident < 0.02:
            log.prompt(name, random.choice(earlier))
            open_calls.clear()
        elif accident < 0.03:
            log.note(name, random.choice([None, "missing", f"row{len(log.rows) + 1}"]), type="progress")
        elif accident < 0.04:
            log.boundary(
                name, log.last, **(kept(earlier[0], f"row{len(log.rows) + 1}", earlier[-1]) if earlier[0] else {})
            )
            log.summary(f"row{len(log.rows)}")
        elif accident < 0.05:
            log.leaf(random.choice([*earlier, "missing"]))
        elif accident < 0.06:
            log.add("user", name, random.choice([None, *earlier]), flags=Flag.SIDECHAIN | Flag.TYPED)
            log.last = before
        elif accident < 0.07:
            old = random.choice(log.rows[-12:] or [LinkRow(0, "mode", "", None, None, None, None, 0)])
            log.rows.append(replace(old, position=len(log.rows)))
        elif accident < 0.08:
            log.system(name, "snip_boundary", snipMetadata={"removedUuids": random.sample(earlier, 1)})
        elif open_calls and random.random() < 0.6:
            call, tool = open_calls.pop(random.randrange(len(open_calls)))
            log.result(name, tool, call)
        else:
            what = random.choice(["prompt", "answer", "call", "call", "note", "side note", "state", "leaf"])
            if what == "prompt":
                log.prompt(name, flags=random.choice([Flag.TYPED, Flag.META]))
                open_calls.clear()
            elif what == "answer":
                log.answer(name, message=message if open_calls else name)
            elif what == "call":
                message = message if open_calls else f"message {name}"
                log.call(name, f"tool {name}", message=message)
                open_calls.append((name, f"tool {name}"))
            elif what == "note":
                log.note(name, type=random.choice(["attachment", "system", "progress"]))
            elif what == "side note":
                log.note(name, random.choice(earlier))
                log.last = before
            elif what == "state":
                log.state("mode")
            else:
                log.leaf(log.last)
    return log.rows


def conversations() -> st.SearchStrategy[list[LinkRow]]:
    return st.builds(_conversation, st.integers(0, 2**32), st.integers(2, 60))
