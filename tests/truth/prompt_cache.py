"""A model of the API's prompt cache: prefixes by their hash, with a lifetime, found again from a mark backwards."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from sessions.context.engine.digest import canonical
from tests.truth.wire import BILLING, blocks_of

Json = dict[str, Any]
LOOKBACK = 20
"""So many blocks, the marked one among them, are tried for a prefix that was written before."""
SHORT, LONG = 5 * 60, 60 * 60
CHARS_PER_TOKEN = 4


class Measure(Protocol):
    def __call__(self, level: str, block: Json, words: str, /) -> int: ...


def characters(level: str, block: Json, words: str, /) -> int:
    return len(words)


class Prefix(NamedTuple):
    """Everything up to the end of a block."""

    hash: str
    size: int
    lifetime: int
    """Seconds; 0 if the block has no mark."""


@dataclass
class PromptCache:
    density: float = 1 / CHARS_PER_TOKEN
    """Tokens for a character: a high one fills the window with few words."""
    measure: Measure = characters
    """Of a block. With a measure of tokens, the density is 1."""
    _ends: dict[str, tuple[float, int]] = field(default_factory=dict)
    """When a prefix is forgotten, and how long it is kept after each use."""

    def usage(self, body: Json, now: float) -> Json:
        """What the API counts for this request, which is cached by it."""
        prefixes = list(_prefixes(body, self.measure))
        marked = [index for index, prefix in enumerate(prefixes) if prefix.lifetime]
        hit = max((position for mark in marked for position in self._found(prefixes, mark, now)), default=None)
        if hit is not None:
            _, lifetime = self._ends[prefixes[hit].hash]
            self._ends[prefixes[hit].hash] = (now + lifetime, lifetime)
        for place in marked:
            lifetime = prefixes[place].lifetime
            self._ends[prefixes[place].hash] = (now + lifetime, lifetime)
        read = self._tokens(prefixes[hit].size) if hit is not None else 0
        last = self._tokens(prefixes[marked[-1]].size) if marked else 0
        written = max(0, last - read)
        long = bool(marked) and prefixes[marked[-1]].lifetime == LONG
        return {
            "input_tokens": self._tokens(prefixes[-1].size) - max(last, read) + 3,
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
        return self._tokens(list(_prefixes(body, self.measure))[-1].size)

    def age(self, seconds: float) -> None:
        """So much time has passed for everything that is kept."""
        self._ends = {name: (end - seconds, lifetime) for name, (end, lifetime) in self._ends.items()}

    def _found(self, prefixes: list[Prefix], mark: int, now: float) -> Iterator[int]:
        for index in range(mark, max(mark - LOOKBACK, -1), -1):
            end, _ = self._ends.get(prefixes[index].hash, (now, 0))
            if end > now:
                yield index
                return

    def _tokens(self, size: int) -> int:
        return round(size * self.density)


def _prefixes(body: Json, measure: Measure) -> Iterator[Prefix]:
    """Tools, system prompt, messages. What is loaded on demand, and what says who pays, is not part of it."""
    state = hashlib.sha256(str(body["model"]).encode())
    size = 0
    for level, block in _blocks(body):
        bare = {name: value for name, value in block.items() if name != "cache_control"}
        words = canonical(bare)
        state.update(f"\n{level}\n{words}".encode("utf-8", "surrogatepass"))
        size += measure(level, bare, words)
        yield Prefix(state.hexdigest(), size, _lifetime(block.get("cache_control")))


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
