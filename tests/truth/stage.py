"""What the scenarios are made of: files, calls of tools, prompts and hooks. All of it is ours."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence

from tests.inspector.agents.server import Call
from tests.truth.script import Step
from tests.truth.visit import Scenario, Visit
from tests.truth.wire import Json

TABLE = "# Tides\n\nHigh water at four minutes past noon.\nLow water at ten minutes past six.\n"
RULES = "# Rules of the harbour\n\nMeasure in metres. Name the mark that was read.\n"
FILES = {"tides.md": TABLE, "marks/north.md": "North mark: 4.2 metres\n", "CLAUDE.md": RULES}
LINES = "".join(f"Tide {number} rose to {number % 7} metres at the northern mark.\n" for number in range(900))


def read(path: str) -> Call:
    return Call("Read", {"file_path": f"{{work}}/{path}"})


def bash(command: str) -> Call:
    return Call("Bash", {"command": command, "description": "Look at the tables"})


def agent(prompt: str) -> Call:
    kind = "general-purpose"
    return Call("Task", {"description": "Look at one mark", "prompt": prompt, "subagent_type": kind})


def picture() -> bytes:
    """A red square of eight pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    lines = (b"\0" + b"\xff\0\0" * 8) * 8
    packed = zlib.compress(lines)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def paper() -> bytes:
    """A document of one empty page."""
    parts = (
        b"1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n",
        b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n",
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>endobj\n",
    )
    text = b"%PDF-1.4\n" + b"".join(parts)
    starts = [text.index(part) for part in parts]
    table = b"0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % start for start in starts)
    end = b"trailer<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(text)
    return text + b"xref\n0 4\n" + table + end


def simple(*prompts: str, arguments: Sequence[str] = ()) -> Callable[[Visit], object]:
    """One prompt, then the others, each by a client that was started anew."""

    def drive(visit: Visit) -> None:
        session = visit.say(prompts[0], *arguments)
        for prompt in prompts[1:]:
            visit.say(prompt, "--resume", session, *arguments)

    return drive


def hook(event: str, command: str, matcher: str = "") -> Json:
    return {event: [{**({"matcher": matcher} if matcher else {}), "hooks": [{"type": "command", "command": command}]}]}


def printed(value: Mapping[str, object]) -> str:
    return f"echo '{json.dumps(value)}'"


def scenario(
    name: str, drive: Callable[[Visit], object], answers: Mapping[str, Sequence[Step]], **more: object
) -> Scenario:
    return Scenario(name, drive, answers, **{"files": FILES, **more})  # type: ignore[arg-type]
