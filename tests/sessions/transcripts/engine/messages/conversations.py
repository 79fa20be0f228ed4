"""Random conversations, as the records of a transcript, that the API accepts once they are joined.

What a conversation is made of is drawn, so that a failing one shrinks to few turns and calls; the words in it come from
a seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from hypothesis import strategies as st

from sessions.transcripts.engine.messages import Block, Message, MessageKind, Role, text_block
from sessions.usage.engine.usage import Usage
from tests.sessions.transcripts.engine.messages import blocks

Thinking = Literal["never", "sometimes", "always"]
GAPS = (0.2, 4.0, 40.0, 299.0, 301.0, 3_590.0, 3_700.0, 90_000.0)
"""Seconds before a turn: within and beyond what the caches live."""


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    size: int
    """Of its result, in characters."""
    form: str
    """Of its result: text, list, image or error."""


@dataclass(frozen=True, slots=True)
class Round:
    """One response of the model that calls tools, with their results."""

    calls: Sequence[Call]
    says: bool = False
    searches: bool = False
    """Calls a tool of the server first, which answers within the response."""
    layout: str = "rows"
    """`whole`: one record; `rows`: one for each block; `interleaved`: each result follows its call."""
    results_together: bool = False
    reversed: bool = False
    """Results arrive in another order than that of the calls."""
    reminded: str = ""
    """The role of a reminder after the results."""


@dataclass(frozen=True, slots=True)
class Turn:
    rounds: Sequence[Round]
    finished: bool = True
    """Ends with words of the model. Else its last calls are answered, and the model has said nothing yet."""
    thinks: str = ""
    """`first`: only the first response does; `each`: all of them."""
    thoughts: Sequence[str] = ()
    """Each `thinking` or `redacted`."""
    attached: str = ""
    reminded: str = ""
    gap: float = 4.0


@dataclass(frozen=True, slots=True)
class Stretch:
    """Turns, after a summary or not. What was kept across a boundary may begin amid a turn, with an answer."""

    turns: Sequence[Turn]
    summarised: bool = False
    headless: bool = False
    attachments: int = 0


@dataclass(slots=True)
class _Scribe:
    random: Random
    model: str
    counted: bool
    at: float = 1_790_000_000.0
    size: int = 18_000
    """Tokens so far, with the system prompt and the tools."""
    cached: int = 0
    messages: list[Message] = field(default_factory=list)

    def stretch(self, stretch: Stretch) -> None:
        if stretch.summarised:
            self.add("user", blocks.summary(self.random), MessageKind.SUMMARY)
        for _ in range(stretch.attachments):
            self.add("user", blocks.reminder(self.random), MessageKind.INJECTED)
        for place, turn in enumerate(stretch.turns):
            self.turn(turn, headless=stretch.headless and stretch.summarised and place == 0)

    def turn(self, turn: Turn, *, headless: bool) -> None:
        self.at += turn.gap
        if not headless:
            self.prompt(turn.attached)
            self.remind(turn.reminded)
        for number, item in enumerate(turn.rounds):
            self.round(item, self.thoughts(turn, number))
        if turn.finished:
            self.answer([*self.thoughts(turn, len(turn.rounds)), text_block(blocks.words(self.random))])

    def prompt(self, attached: str = "") -> None:
        self.add("user", blocks.prompt(self.random, attached), MessageKind.PROMPT)

    def round(self, exchange: Round, thoughts: Sequence[Block]) -> None:
        calls = [blocks.call(self.random, each.tool) for each in exchange.calls]
        results = {
            call["id"]: blocks.result(self.random, call, each.size, each.form)
            for call, each in zip(calls, exchange.calls, strict=True)
        }
        text = [text_block(blocks.words(self.random))] if exchange.says else []
        searched = blocks.search(self.random) if exchange.searches else []
        content = [*thoughts, *text, *searched, *calls]
        if exchange.layout == "interleaved":
            self.answer(content, after=lambda call: self.results([results[call["id"]]]))
        else:
            self.answer(content, whole=exchange.layout == "whole")
            ordered = [results[call["id"]] for call in (reversed(calls) if exchange.reversed else calls)]
            for group in [ordered] if exchange.results_together else [[each] for each in ordered]:
                self.results(group)
        self.remind(exchange.reminded)

    def answer(
        self, content: Sequence[Block], *, whole: bool = False, after: Callable[[Block], None] | None = None
    ) -> None:
        message_id = blocks.api_id(self.random, "msg")
        usage = Usage(2, self.cached, self.size - self.cached, 0, 100 * len(content)) if self.counted else None
        self.cached = self.size
        for group in [content] if whole else [[block] for block in content]:
            self.add("assistant", tuple(group), MessageKind.ANSWER, message_id, usage)
            if after and group[0]["type"] == "tool_use":
                after(group[0])

    def results(self, group: Sequence[Block]) -> None:
        self.add("user", tuple(group), MessageKind.RESULT)

    def thoughts(self, turn: Turn, number: int) -> list[Block]:
        thinks = turn.thinks == "each" or (turn.thinks == "first" and number == 0)
        make = {"thinking": blocks.thinking, "redacted": blocks.redacted}
        return [make[thought](self.random) for thought in turn.thoughts] if thinks else []

    def remind(self, role: str) -> None:
        if role == "system":
            self.add("system", (text_block(blocks.words(self.random)),), MessageKind.INJECTED)
        elif role == "user":
            self.add("user", blocks.reminder(self.random), MessageKind.INJECTED)

    def add(
        self,
        role: Role,
        content: tuple[Block, ...],
        kind: MessageKind,
        message_id: str = "",
        usage: Usage | None = None,
    ) -> None:
        self.at += self.random.random() * 3
        self.size += sum(len(str(block)) for block in content) // 4
        model = self.model if kind is MessageKind.ANSWER else ""
        uuid = blocks.uuid_of(self.random)
        self.messages.append(Message(role, content, kind, uuid, message_id, self.at, usage, model))


def conversations(
    *, thinking: Thinking = "sometimes", model: str = "claude-opus-4-6", turns: int = 3
) -> st.SearchStrategy[list[Message]]:
    """Conversations as they stand in a transcript: the last turn may be finished or still open.

    With thinking `always`, the first response of each turn begins with it, which is what the API demands when thinking
    is enabled with a budget. There are up to three stretches, most after a summary, of at most `turns` turns each.
    """
    return _written(thinking, model, turns, asking=False)


def requests(
    *, thinking: Thinking = "sometimes", model: str = "claude-opus-4-6", turns: int = 3
) -> st.SearchStrategy[list[Message]]:
    """Conversations in which it is the model's turn: what a client would send."""
    return _written(thinking, model, turns, asking=True)


def _written(thinking: Thinking, model: str, turns: int, *, asking: bool) -> st.SearchStrategy[list[Message]]:
    def write(seed: int, counted: bool, stretches: Sequence[Stretch]) -> list[Message]:
        scribe = _Scribe(Random(seed), model, counted)
        for stretch in stretches:
            scribe.stretch(stretch)
        if asking and scribe.messages[-1].role == "assistant":
            scribe.prompt()
        return scribe.messages

    stretches = st.lists(_stretches(thinking, turns), min_size=1, max_size=3)
    return st.builds(write, st.integers(0, 2**32), st.sampled_from((True, True, False)), stretches)


def _stretches(thinking: Thinking, most: int) -> st.SearchStrategy[Stretch]:
    return st.builds(
        Stretch,
        turns=st.lists(_turns(thinking), min_size=1, max_size=most),
        summarised=st.booleans(),
        headless=st.booleans(),
        attachments=st.integers(0, 2),
    )


def _turns(thinking: Thinking) -> st.SearchStrategy[Turn]:
    thinks = {"never": ("",), "sometimes": ("", "first", "each"), "always": ("first", "each")}
    return st.builds(
        Turn,
        rounds=st.lists(_rounds(), max_size=3),
        finished=st.booleans(),
        thinks=st.sampled_from(thinks[thinking]),
        thoughts=st.lists(st.sampled_from(("thinking", "redacted")), min_size=1, max_size=2),
        attached=st.sampled_from(("", "", "image", "document")),
        reminded=st.sampled_from(("", "", "user", "system")),
        gap=st.sampled_from(GAPS),
    )


def _rounds() -> st.SearchStrategy[Round]:
    return st.builds(
        Round,
        calls=st.lists(_calls(), min_size=1, max_size=4),
        says=st.booleans(),
        searches=st.sampled_from((False, False, True)),
        layout=st.sampled_from(("rows", "whole", "interleaved")),
        results_together=st.booleans(),
        reversed=st.booleans(),
        reminded=st.sampled_from(("", "", "user", "system")),
    )


def _calls() -> st.SearchStrategy[Call]:
    forms = st.sampled_from(("text", "text", "list", "error", "image"))
    return st.builds(Call, st.sampled_from(blocks.TOOLS), st.sampled_from(blocks.SIZES), forms)
