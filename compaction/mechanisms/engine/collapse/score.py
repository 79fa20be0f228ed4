"""How dispensable a span of history is: from 0, keep it, to 1, let it go.

The score is the weighted mean of four parts, each from 0 to 1:

- size: its tokens against the largest span. A large span is worth a summary, a small one hardly.
- age: the share of the conversation that comes after it.
- distance: the share of the things it deals with that the latest part leaves alone. What is being worked on stays.
- quiet: 1 / (1 + how often each of its things is named later, on average). What people come back to stays.

Things are files, addresses and folders: those that tool calls are given, and those that words name.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from compaction.mechanisms.engine.collapse.config import Weights
from sessions.transcripts.engine.messages import Block, Message
from sessions.usage.engine.tokens import TokenCounter

_GIVEN = ("file_path", "path", "notebook_path", "url")
_NAMED = re.compile(r"(?<![\w./-])[\w./~-]{0,200}\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])")
_LOOKED_AT = 20_000
"""Characters of a text that are searched: what is longer was pasted, not typed."""


@dataclass(frozen=True, slots=True)
class Score:
    size: float
    age: float
    distance: float
    quiet: float
    total: float


@dataclass(frozen=True, slots=True)
class ConversationSurvey:
    """What scoring needs to know of a conversation, gathered once."""

    sizes: tuple[int, ...]
    before: tuple[int, ...]
    """Tokens before each index; one more than messages."""
    things: tuple[frozenset[str], ...]
    named: Mapping[str, Sequence[int]]
    """Where each thing is named, ascending."""

    @property
    def tokens(self) -> int:
        return self.before[-1]

    def between(self, first: int, end: int) -> int:
        return self.before[end] - self.before[first]


def survey_conversation(messages: Sequence[Message], counter: TokenCounter) -> ConversationSurvey:
    sizes = tuple(counter(message.content) for message in messages)
    things = tuple(_things(message) for message in messages)
    named: dict[str, list[int]] = {}
    for index, of_message in enumerate(things):
        for thing in of_message:
            named.setdefault(thing, []).append(index)
    return ConversationSurvey(sizes, tuple(accumulate(sizes, initial=0)), things, named)


def score_span(view: ConversationSurvey, first: int, end: int, latest: int, *, most: int, weights: Weights) -> Score:
    """Scores `messages[first:end]`, if the latest part begins at `latest`."""
    things = frozenset[str]().union(*view.things[first:end])
    size = min(1.0, view.between(first, end) / most)
    age = (view.tokens - view.before[end]) / view.tokens if view.tokens else 0.0
    at_work = sum(view.named[thing][-1] >= latest for thing in things)
    later = sum(len(view.named[thing]) - bisect_left(view.named[thing], end) for thing in things)
    distance = 1.0 - at_work / len(things) if things else 1.0
    quiet = 1.0 / (1.0 + later / len(things)) if things else 1.0
    sum_of_parts = weights.size * size + weights.age * age + weights.distance * distance + weights.quiet * quiet
    return Score(size, age, distance, quiet, sum_of_parts / weights.sum)


def _things(message: Message) -> frozenset[str]:
    things: set[str] = set()
    for block in message.content:
        kind = block.get("type")
        if kind == "text":
            things.update(_things_in_text(block.get("text")))
        elif kind == "tool_use":
            things.update(_things_of_call(block))
    return frozenset(things)


def _things_of_call(block: Block) -> set[str]:
    call_input = block.get("input")
    if not isinstance(call_input, Mapping):
        return set()
    named = {_shorten_path(value) for key in _GIVEN if isinstance(value := call_input.get(key), str)}
    return named | _things_in_text(call_input.get("command"))


def _things_in_text(text: object) -> set[str]:
    return {_shorten_path(word) for word in _NAMED.findall(text[:_LOOKED_AT])} if isinstance(text, str) else set()


def _shorten_path(name: str) -> str:
    """The last two parts of a path, because a file is named by its whole path here and by its name there."""
    return "/".join(name.rstrip("/").split("/")[-2:])
