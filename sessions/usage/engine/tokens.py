"""How many tokens a conversation has, as far as can be known without asking the API, and how many it may have.

Everything is counted in thirds of a token and rounded up once for each content block, so estimates add up: a message is
the sum of its blocks, and an array the sum of its messages. The savings in a report are then exactly the difference
between before and after.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import orjson

from sessions.transcripts.engine.messages import Block, Message
from sessions.usage.engine import prices
from sessions.usage.engine.model_names import asks_for_long_window

LONG_CONTEXT_BETA = "context-1m-2025-08-07"
USUAL_WINDOW = 200_000
LONG_WINDOW = 1_000_000
LEAST_RESERVED = 20_000
"""Left free for the answer, however little a request asks for."""
COMPACT_BUFFER = 13_000
"""Auto-compact starts this far before the effective window is full."""

# Four characters of text make a token and the whole is raised by a third: a third of a token for each character.
_PER_CHARACTER = 1
_PER_JSON_BYTE = 2
_FLAT = 2_000 * 4
"""Quarter tokens of an image or a document, whatever its size."""


class TokenCounter(Protocol):
    """Counts the blocks of a message; counts of several messages are added."""

    def __call__(self, blocks: Sequence[Block], /) -> int: ...


def estimate_blocks(blocks: Sequence[Block], /) -> int:
    """Text at 4 characters a token, JSON at 2 bytes, images and documents flat, all of it times 4/3."""
    return sum((_thirds(block) + 2) // 3 for block in blocks)


def estimate_block(block: Block, /) -> int:
    return (_thirds(block) + 2) // 3


def estimate_message(message: Message) -> int:
    return estimate_blocks(message.content)


def estimate(messages: Sequence[Message], counter: TokenCounter = estimate_blocks) -> int:
    return sum([counter(message.content) for message in messages])


class CountCache:
    """Counts each message once, for callers that ask about the same messages again.

    It compares by identity and keeps the messages alive, so make one per run, not one per process.
    """

    __slots__ = ("_alive", "_counted", "_counter")

    def __init__(self, counter: TokenCounter = estimate_blocks) -> None:
        self._counter = counter
        self._counted: dict[int, int] = {}
        self._alive: list[Sequence[Block]] = []

    def __call__(self, blocks: Sequence[Block], /) -> int:
        count = self._counted.get(id(blocks))
        if count is None:
            count = self._counted[id(blocks)] = self._counter(blocks)
            self._alive.append(blocks)
        return count


@dataclass(frozen=True, slots=True)
class ContextSize:
    """`counted` by the API with the answer at `anchor` (an index; None if there is none), the rest estimated."""

    counted: int
    estimated: int
    anchor: int | None

    @property
    def tokens(self) -> int:
        return self.counted + self.estimated


def context_size(
    messages: Sequence[Message], *, since: int = 0, counter: TokenCounter = estimate_blocks
) -> ContextSize:
    """The usage of the last answer that has one, and an estimate of what follows.

    The anchor is the first record of that answer: results that stand between its records came after the request. The
    other records themselves are part of the counted output. Usage before the index `since` is ignored: pass the place
    of the last edit, because what was counted before it may be gone.
    """
    last = next((index for index in range(len(messages) - 1, since - 1, -1) if _counts(messages[index])), None)
    if last is None:
        return ContextSize(0, estimate(messages, counter), None)
    answer = messages[last]
    usage = answer.usage
    assert usage is not None
    anchor = last
    if answer.message_id:
        for index in range(last - 1, since - 1, -1):
            if messages[index].message_id == answer.message_id:
                anchor = index
                earlier = messages[index].usage
                usage = usage.merge(earlier) if earlier is not None else usage
    after = [
        message
        for message in messages[anchor + 1 :]
        if not answer.message_id or message.message_id != answer.message_id
    ]
    return ContextSize(usage.context + usage.output, estimate(after, counter), anchor)


def context_tokens(messages: Sequence[Message], *, since: int = 0, counter: TokenCounter = estimate_blocks) -> int:
    return context_size(messages, since=since, counter=counter).tokens


class WindowSource(StrEnum):
    SUFFIX = "suffix"
    MODEL = "model"
    BETA = "beta"
    SETTING = "setting"
    USUAL = "usual"
    COMPACTIONS = "compactions"
    """The session compacted by itself where a client with the usual window does."""


@dataclass(frozen=True, slots=True)
class Window:
    tokens: int
    source: WindowSource


def context_window(model: str | None, *, betas: Sequence[str] = (), setting: int | None = None) -> Window:
    """The first that applies: the `[1m]` suffix, the table of models, the beta header, the setting, 200,000."""
    if asks_for_long_window(model):
        return Window(LONG_WINDOW, WindowSource.SUFFIX)
    if model and model != prices.SYNTHETIC and prices.price_of(model) is not None:
        return Window(prices.context_window(model), WindowSource.MODEL)
    if LONG_CONTEXT_BETA in betas:
        return Window(LONG_WINDOW, WindowSource.BETA)
    if setting is not None:
        return Window(setting, WindowSource.SETTING)
    return Window(USUAL_WINDOW, WindowSource.USUAL)


@dataclass(frozen=True, slots=True)
class Limits:
    """`percent` of the effective window lowers the threshold, to try things on short sessions; it never raises it."""

    window: int = USUAL_WINDOW
    max_output: int = 0
    buffer: int = COMPACT_BUFFER
    percent: float | None = None

    @property
    def effective(self) -> int:
        return max(0, self.window - max(self.max_output, LEAST_RESERVED))

    @property
    def threshold(self) -> int:
        """Where auto-compact starts."""
        usual = max(0, self.effective - self.buffer)
        return usual if self.percent is None else min(usual, int(self.effective * self.percent / 100))


NEAR = 0.7
"""From this share of the threshold on, the threshold is what started a compaction: sizes are measured differently by
versions, and some leave more room for the answer."""
MOST_OVER = 1.1
"""A context is larger than the threshold by the prompt or the results that came last."""


def shows_usual_window(automatic: Iterable[float], largest: float) -> bool:
    """A client may use a smaller window than the model has, and no record says so. `automatic`: how large the context
    was when the session compacted by itself; `largest`: the largest prompt that was answered."""
    threshold = Limits().threshold
    fits = any(NEAR * threshold <= size <= MOST_OVER * threshold for size in automatic)
    return fits and largest <= USUAL_WINDOW


def window_in_use(window: Window, *, is_usual: bool) -> Window:
    """`window`: of the model; `is_usual`: what `shows_usual_window` says of the session."""
    return Window(USUAL_WINDOW, WindowSource.COMPACTIONS) if is_usual and window.tokens > USUAL_WINDOW else window


def _counts(message: Message) -> bool:
    """Answers that the client wrote itself have a usage of all zeros."""
    usage = message.usage
    return usage is not None and message.model != prices.SYNTHETIC and usage.context + usage.output > 0


def _thirds(block: Block) -> int:
    kind = block.get("type")
    if kind == "text":
        return _text(block.get("text"))
    if kind == "tool_result":
        return _content(block.get("content"))
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        return (_bytes(block.get("name")) + _json(block.get("input"))) * _PER_JSON_BYTE
    if kind == "thinking":
        return _text(block.get("thinking"))
    if kind == "redacted_thinking":
        return _text(block.get("data"))
    if kind in ("image", "document"):
        return _FLAT
    if kind == "compaction":
        return _text(block.get("content"))
    return _json(block) * _PER_JSON_BYTE


def _content(content: Any) -> int:
    if isinstance(content, str):
        return len(content) * _PER_CHARACTER
    if isinstance(content, (list, tuple)):
        return sum(_thirds(part) if isinstance(part, dict) else _json(part) * _PER_JSON_BYTE for part in content)
    return 0 if content is None else _json(content) * _PER_JSON_BYTE


def _text(text: Any) -> int:
    return len(text) * _PER_CHARACTER if isinstance(text, str) else 0


def _bytes(name: Any) -> int:
    return len(name.encode("utf-8", "surrogatepass")) if isinstance(name, str) else 0


def _json(value: Any) -> int:
    try:
        return len(orjson.dumps(value))
    except TypeError:  # integers beyond 64 bits and lone surrogates, which JSON allows and orjson does not
        return len(json.dumps(value, separators=(",", ":"), default=dict))
