"""A plain reader of the demo, apart from both the builder and the product, so that neither checks itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]
_DECODER = json.JSONDecoder()


def records(path: Path) -> list[Record]:
    """Every whole object of a file, also out of broken lines."""
    return [record for line in path.read_bytes().split(b"\n") for record in _whole(line)]


def _whole(line: bytes) -> Iterator[Record]:
    text = line.decode("utf-8", "surrogatepass").lstrip("\0")
    index = 0
    while index < len(text):
        try:
            record, index = _DECODER.raw_decode(text, index)
        except json.JSONDecodeError:
            index = text.find('{"parentUuid":', index + 1)
            if index < 0:
                return
            continue
        yield record


def blocks(record: Record) -> list[Record]:
    content = (record.get("message") or {}).get("content")
    return content if isinstance(content, list) else []


def calls(rows: list[Record]) -> dict[str, Record]:
    """The assistant row of each tool call."""
    return {
        block["id"]: row
        for row in rows
        if row["type"] == "assistant"
        for block in blocks(row)
        if block.get("type") == "tool_use"
    }


def results(rows: list[Record]) -> list[tuple[str, Record]]:
    return [
        (block["tool_use_id"], row)
        for row in rows
        if row["type"] == "user"
        for block in blocks(row)
        if block.get("type") == "tool_result"
    ]


def usages(rows: list[Record]) -> dict[str, Record]:
    """The largest usage of each message, in the order of the requests."""
    values: dict[str, Record] = {}
    for row in rows:
        if row["type"] != "assistant" or row["message"].get("model") == "<synthetic>":
            continue
        usage = row["message"]["usage"]
        before = values.get(row["message"]["id"])
        if before is None or usage["output_tokens"] >= before["output_tokens"]:
            values[row["message"]["id"]] = usage
    return values
