"""Requests as rows of a log: hashes and lengths in place of what was said, as `lucid context --digest` has them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from sessions.context.engine.digest import canonical, digest, short_hash

Json = dict[str, Any]
FILE, BODIES = "requests.jsonl", "bodies.jsonl"
BILLING = "x-anthropic-billing-header"
"""How the block of the system prompt begins that says who pays. The API takes it out before anything is cached."""


class Kind(StrEnum):
    MAIN = "main"
    SUB = "sub"
    COMPACT = "compact"
    SIDE = "side"
    """An errand of the client, such as a title: its answer is in no transcript."""


def row(number: int, stamp: str, kind: Kind, status: int, body: Json, betas: str, response: Json | None) -> Json:
    return {
        "n": number,
        "ts": stamp,
        "kind": str(kind),
        "status": status,
        "betas": betas,
        "model": body.get("model"),
        **{name: body[name] for name in ("thinking", "context_management", "output_config") if name in body},
        "system": [_system(block) for block in blocks_of(body.get("system") or [])],
        "tools": [_tool(tool) for tool in body.get("tools") or []],
        "messages": [
            {"role": message["role"], "content": [_block(block) for block in blocks_of(message["content"])]}
            for message in body["messages"]
        ],
        "response": response,
    }


def anew(logged: Json, body: Json) -> Json:
    """The same row of another body."""
    kind = Kind(logged["kind"])
    return row(logged["n"], logged["ts"], kind, logged["status"], body, logged["betas"], logged["response"])


def blocks_of(content: str | list[Json]) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def rows(folder: Path) -> list[Json]:
    return [json.loads(line) for line in (folder / FILE).read_text("utf-8").splitlines()]


def write(folder: Path, logged: Iterable[Json]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(item, ensure_ascii=False, separators=(",", ":")) + "\n" for item in logged)
    (folder / FILE).write_text(text, "utf-8")


def _block(block: Json) -> Json:
    mark = {"cache_control": block["cache_control"]} if block.get("cache_control") else {}
    return {**digest(block), **mark}


def _system(block: Json) -> Json:
    words = block["text"]
    return {"chars": len(words), "sha256": short_hash(words), "cache_control": block.get("cache_control")}


def _tool(tool: Mapping[str, Any]) -> Json:
    output = {name: value for name, value in tool.items() if name != "cache_control"}
    deferred = {"defer_loading": True} if tool.get("defer_loading") else {}
    return {"name": tool["name"], "sha256": short_hash(canonical(output)), **deferred}
