"""Content blocks as clients and models write them, filled from a seed: their words do not matter, their shapes do."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import Any
from uuid import UUID

from sessions.transcripts.engine.messages import Block, text_block

TOOLS = (
    *("Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write"),
    *("mcp__github__search_issues", "mcp__tide-gauge__read_height"),
)
SIZES = (0, 12, 300, 2_000, 9_000, 49_999, 50_001, 120_000)
"""Of results, in characters: around and far beyond what is spilled to a file."""
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg=="
PAPER = "JVBERi0xLjQKMSAwIG9iago8PC9UeXBlL0NhdGFsb2c+PgplbmRvYmoKdHJhaWxlcjw8L1Jvb3QgMSAwIFI+Pgo="

_WORDS = (
    *("the", "harbour", "opens", "at", "noon", "heights", "are", "in", "metres", "never", "feet", "please"),
    *("naïve", "café", "水位", "🌊", "`heights.py`", "\n- first", "x = {}", "</system-reminder>", "don't"),
)
_DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_LINE = "    14→def height_at(station, moment):  # metres above chart datum\n"


def uuid_of(random: Random) -> str:
    return str(UUID(int=random.getrandbits(128), version=4))


def api_id(random: Random, prefix: str) -> str:
    return prefix + "_01" + "".join(random.choices(_DIGITS, k=22))


def words(random: Random, most: int = 30) -> str:
    return " ".join(random.choices(_WORDS, k=random.randint(1, most))).strip()


@lru_cache(maxsize=64)
def _output(size: int, start: int) -> str:
    return (_LINE[start:] + _LINE * (size // len(_LINE) + 1))[:size]


def image() -> Block:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}


def document(random: Random) -> Block:
    if random.random() < 0.5:
        source = {"type": "base64", "media_type": "application/pdf", "data": PAPER}
    else:
        source = {"type": "text", "media_type": "text/plain", "data": words(random)}
    return {"type": "document", "source": source, "title": "tides"}


def prompt(random: Random, attached: str) -> tuple[Block, ...]:
    """Words of a person; an image or a document may stand before them."""
    text = text_block(words(random))
    if attached == "image":
        return image(), text
    return (document(random), text) if attached == "document" else (text,)


def reminder(random: Random) -> tuple[Block, ...]:
    return (text_block(f"<system-reminder>\n{words(random)}\n</system-reminder>"),)


def summary(random: Random) -> tuple[Block, ...]:
    opening = "This session is being continued from a previous conversation that ran out of context."
    return (text_block(f"{opening}\n\nSummary:\n1. Primary Request and Intent:\n   {words(random, 200)}"),)


def thinking(random: Random) -> Block:
    signature = "Ev" + "".join(random.choices(_DIGITS, k=random.choice((60, 400)))) + "=="
    # Some models show nothing of what they thought; the signature is there all the same.
    return {"type": "thinking", "thinking": random.choice(("", words(random, 120))), "signature": signature}


def redacted(random: Random) -> Block:
    return {"type": "redacted_thinking", "data": "".join(random.choices(_DIGITS, k=80))}


def call(random: Random, tool: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": api_id(random, "toolu"), "name": tool, "input": _input(random, tool)}


def _input(random: Random, tool: str) -> dict[str, Any]:
    path = f"/home/dev/tidewatch/{random.choice(('heights', 'stations', 'moon'))}.py"
    match tool:
        case "Read":
            return {"file_path": path}
        case "Write":
            return {"file_path": path, "content": _output(random.choice((30, 5_000)), random.randrange(9))}
        case "Edit":
            return {"file_path": path, "old_string": words(random), "new_string": words(random)}
        case "Bash":
            return {"command": f"pytest {path}", "description": words(random, 5)}
        case "Grep" | "Glob":
            return {"pattern": random.choice(("**/*.py", "height_\\w+"))}
        case "WebFetch":
            return {"url": "https://tides.example/heights", "prompt": words(random, 8)}
        case "WebSearch":
            return {"query": words(random, 6)}
        case _:
            return random.choice(({}, {"station": 14, "unit": "m", "deep": {"of": [1, None, True]}}))


def search(random: Random) -> list[Block]:
    """A tool of the server: its call and its result stand in one answer."""
    name = api_id(random, "srvtoolu")
    call = {"type": "server_tool_use", "id": name, "name": "web_search", "input": {"query": words(random, 4)}}
    page = {"type": "web_search_result", "title": "Tides", "url": "https://tides.example", "encrypted_content": "Eg"}
    return [call, {"type": "web_search_tool_result", "tool_use_id": name, "content": [page]}]


def result(random: Random, call: Block, size: int, form: str) -> Block:
    """`form` is text, list, image or error. A result of size 0 may have no content at all."""
    output = _output(size, random.randrange(9))
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call["id"]}
    if form == "error":
        return block | {"content": output or "Exit code 1", "is_error": True}
    if form == "image":
        return block | {"content": [image()]}
    if not output:
        return random.choice((block, block | {"content": ""}))
    if form == "list":
        return block | {"content": [text_block(output)]}
    return block | {"content": output, **random.choice(({}, {"is_error": False}))}
