"""A model of the API's prompt cache: prefixes by their hash, with a lifetime, found again from a mark backwards."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sessions.context.engine.digest import canonical
from tests.truth.wire import BILLING, blocks_of

Json = dict[str, Any]
LOOKBACK = 20
"""So many blocks, the marked one among them, are tried for a prefix that was written before."""
SHORT, LONG = 5 * 60, 60 * 60
CHARS_PER_TOKEN = 4


class Prefix(NamedTuple):
    """Everything up to the end of a block."""

    hash: str
    chars: int
    lifetime: int
    """Seconds; 0 if the block has no mark."""


@dataclass
class PromptCache:
    density: float = 1 / CHARS_PER_TOKEN
    """Tokens for a character: a high one fills the window with few words."""
    _ends: dict[str, tuple[float, int]] = field(default_factory=dict)
    """When a prefix is forgotten, and how long it is kept after each use."""

    def usage(self, body: Json, now: float) -> Json:
        """What the API counts for this request, which is cached by it."""
        prefixes = list(_prefixes(body))
        marked = [index for index, prefix in enumerate(prefixes) if prefix.lifetime]
        hit = max((position for mark in marked for position in self._found(prefixes, mark, now)), default=None)
        if hit is not None:
            _, lifetime = self._ends[prefixes[hit].hash]
            self._ends[prefixes[hit].hash] = (now + lifetime, lifetime)
        for place in marked:
            lifetime = prefixes[place].lifetime
            self._ends[prefixes[place].hash] = (now + lifetime, lifetime)
        read = self._tokens(prefixes[hit].chars) if hit is not None else 0
        last = self._tokens(prefixes[marked[-1]].chars) if marked else 0
        written = max(0, last - read)
        long = bool(marked) and prefixes[marked[-1]].lifetime == LONG
        return {
            "input_tokens": self._tokens(prefixes[-1].chars) - max(last, read) + 3,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": 0 if long else written,
                "ephemeral_1h_input_tokens": written if long else 0,
            },
            "output_tokens": 20,
            "service_tier": "standard",
        }

    def count(self, body: Json) -> int:
        return self._tokens(list(_prefixes(body))[-1].chars)

    def age(self, seconds: float) -> None:
        """So much time has passed for everything that is kept."""
        self._ends = {name: (end - seconds, lifetime) for name, (end, lifetime) in self._ends.items()}

    def _found(self, prefixes: list[Prefix], mark: int, now: float) -> Iterator[int]:
        for index in range(mark, max(mark - LOOKBACK, -1), -1):
            end, _ = self._ends.get(prefixes[index].hash, (now, 0))
            if end > now:
                yield index
                return

    def _tokens(self, chars: int) -> int:
        return round(chars * self.density)


def _prefixes(body: Json) -> Iterator[Prefix]:
    """Tools, system prompt, messages. What is loaded on demand, and what says who pays, is not part of it."""
    state = hashlib.sha256(str(body["model"]).encode())
    chars = 0
    for level, block in _blocks(body):
        words = canonical({name: value for name, value in block.items() if name != "cache_control"})
        state.update(f"\n{level}\n{words}".encode("utf-8", "surrogatepass"))
        chars += len(words)
        yield Prefix(state.hexdigest(), chars, _lifetime(block.get("cache_control")))


def _blocks(body: Json) -> Iterator[tuple[str, Json]]:
    for tool in body.get("tools") or []:
        if not tool.get("defer_loading"):
            yield "tool", tool
    for block in blocks_of(body.get("system") or []):
        if not block["text"].startswith(BILLING):
            yield "system", block
    for message in body["messages"]:
        for block in blocks_of(message["content"]):
            yield message["role"], block


def _lifetime(mark: Json | None) -> int:
    if not mark:
        return 0
    return LONG if mark.get("ttl") == "1h" else SHORT
