"""Writes small transcripts the way the client does: rows that hang on each other, one JSON object per line."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

START = 1_762_000_000_000
MODEL = "claude-opus-5-5"


def named(name: str) -> str:
    """The same uuid for the same name, in every test."""
    return str(uuid5(NAMESPACE_URL, name))


@dataclass
class Writing:
    """A transcript in the making. Each method adds a record and returns its uuid (or "" for state records)."""

    session: str = "11111111-2222-4333-8444-555555555555"
    clock: int = START
    records: list[dict[str, Any]] = field(default_factory=list)
    leaf: str | None = None
    count: int = 0

    def row(self, kind: str, **fields: Any) -> str:
        self.count += 1
        self.clock += 1000
        uuid = fields.pop("uuid", None) or named(f"{self.session}/{self.count}")
        parent = fields.pop("parent", self.leaf)
        record = {
            "parentUuid": parent,
            "isSidechain": False,
            "type": kind,
            "uuid": uuid,
            "timestamp": stamp(self.clock),
            "sessionId": self.session,
            "cwd": "/home/dev/tidewatch",
            "gitBranch": "main",
            "version": "2.1.325",
            "userType": "external",
        }
        self.records.append({**record, **fields})
        self.leaf = uuid
        return uuid

    def user(self, text: str, **fields: Any) -> str:
        return self.row("user", **{"message": {"role": "user", "content": text}, **fields})

    def assistant(
        self, *blocks: dict[str, Any] | str, message: str | None = None, output: int = 10, **fields: Any
    ) -> str:
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        message_id = message or f"msg_{self.session[:8]}_{self.count}"
        model = fields.pop("model", MODEL)
        usage = {
            "input_tokens": 3,
            "cache_read_input_tokens": 1000 * (self.count + 1),
            "cache_creation_input_tokens": 500,
            "cache_creation": {"ephemeral_5m_input_tokens": 500, "ephemeral_1h_input_tokens": 0},
            "output_tokens": output,
        }
        body = {
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": content,
            "stop_reason": None,
            "usage": fields.pop("usage", usage),
        }
        request = fields.pop("request", f"req_{message_id}")
        return self.row("assistant", message=body, requestId=request, **fields)

    def call(self, name: str, tool: str, /, **given: Any) -> str:
        return self.assistant({"type": "tool_use", "id": tool, "name": name, "input": given})

    def result(self, tool: str, text: str, *, error: bool = False, **fields: Any) -> str:
        block = {"type": "tool_result", "tool_use_id": tool, "content": text, "is_error": error}
        return self.row("user", message={"role": "user", "content": [block]}, **fields)

    def state(self, kind: str, **fields: Any) -> str:
        self.records.append({"type": kind, **fields, "sessionId": self.session})
        return ""

    def turns(self, count: int) -> Writing:
        for number in range(count):
            self.user(f"Please look at harbour {number}")
            self.call("Bash", f"toolu_{self.session[:8]}_{number}", command=f"tide --harbour {number}")
            self.result(f"toolu_{self.session[:8]}_{number}", f"high water at {number}:00")
            self.assistant(f"Harbour {number} has high water at {number}:00.")
        return self

    def lines(self) -> list[bytes]:
        return [line(record) for record in self.records]

    def save(self, folder: Path, name: str | None = None) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name or self.session}.jsonl"
        path.write_bytes(b"".join(self.lines()))
        return path


def line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def stamp(at: int) -> str:
    from sessions.text.engine.timestamps import iso

    return iso(at) or ""


def append(path: Path, *records: dict[str, Any]) -> None:
    with path.open("ab") as file:
        for record in records:
            file.write(line(record))
