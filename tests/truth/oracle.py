"""What really was sent, from the logs beside the recordings, and what must have broken the cache by that. It shares no
code with the detection: it knows the requests, of which a transcript holds only a part."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from tests.truth.compare import conversation
from tests.truth.wire import Json, rows

LOOKBACK = 20


@dataclass(frozen=True)
class Truth:
    message: str
    cause: str
    expected: bool
    before: int
    read: int
    reminders: bool = False
    """Nothing of the conversation changed: what did was put in by the client."""


def requests(folder: Path) -> dict[str, Json]:
    """By the id of the answer."""
    return {
        row["response"]["id"]: row
        for row in rows(folder)
        if isinstance(row.get("response"), dict) and row.get("messages")
    }


def compactions(folder: Path) -> list[int]:
    return [row["n"] for row in rows(folder) if row["kind"] == "compact"]


def truths(sent: list[Json], compacted: list[int]) -> list[Truth]:
    """`sent`: the requests of one thread, in order."""
    results = []
    for previous, now in pairwise(sent):
        before, read = _read(previous), _read(now)
        switched = not read and previous["model"] != now["model"]
        if before - read <= 2_000 or before - read <= before * 0.05 or ("haiku" in now["model"] and not switched):
            continue
        cause = _cause(previous, now, compacted)
        expected = cause in ("compaction", "lookback_exceeded", "rewind")
        reminders = cause == "messages_rewritten" and _goes_on(previous, now)
        results.append(Truth(now["response"]["id"], cause, expected, before, read, reminders))
    return results


def _cause(previous: Json, now: Json, compacted: list[int]) -> str:
    old, new = _conversation(previous), _conversation(now)
    held = next(
        (index for index, (item, other) in enumerate(zip(old, new, strict=False)) if item != other),
        min(len(old), len(new)),
    )
    if held < len(old) and any(previous["n"] < item < now["n"] for item in compacted):
        return "compaction"
    if previous["model"] != now["model"]:
        return "model_changed"
    if not _read(now) and previous["tools"] != now["tools"]:
        return "tools_changed"
    # The first block is the billing header, where there is one.
    if [section["sha256"] for section in previous["system"][-2:]] != [
        section["sha256"] for section in now["system"][-2:]
    ]:
        return "system_prompt_changed"
    late = (_time(now) - _time(previous)).total_seconds() > 300
    # If only messages were rewritten, what stands before them would still be read.
    if held < len(old) and not (late and not _read(now)):
        return "messages_rewritten"
    if late:
        return "ttl_expired_5m"
    return "lookback_exceeded" if len(new) - len(old) >= LOOKBACK else "likely_server_side"


def _goes_on(previous: Json, now: Json) -> bool:
    before = conversation(previous["messages"])
    return conversation(now["messages"])[: len(before)] == before


def _conversation(request: Json) -> list[tuple[str, str, str]]:
    return [
        (message["role"], block["type"], block["sha256"])
        for message in request["messages"]
        for block in message["content"]
    ]


def _read(request: Json) -> int:
    return int(request["response"]["usage"]["cache_read_input_tokens"])


def _time(request: Json) -> datetime:
    return datetime.fromisoformat(request["ts"])
