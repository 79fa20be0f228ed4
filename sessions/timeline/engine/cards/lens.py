"""Masks and cuts every text that a card displays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sessions.text.engine.excerpt import cut
from sessions.text.engine.invisible_characters import spell_invisible
from sessions.timeline.engine.cards.card import Output, Part, Plain, Prose
from sessions.timeline.engine.cards.tool_results import ResultsByCall

Mask = Callable[[str], str]

CEILING = 500_000
"""Characters of one part even if everything is shown: a browser must still open the page."""
_MARGIN = 4_096
"""Characters masked beyond the cut, so that a secret that straddles it is still recognised."""
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)|[@-Z\\-_])")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Limit:
    chars: int
    lines: int = 0
    """0 means no limit."""


WORDS = Limit(4_000)
ANSWER = Limit(6_000)
THOUGHT = Limit(1_200)
SUMMARY = Limit(3_000)
OUTPUT = Limit(800, 12)
BRIEF = Limit(400, 6)
COMMAND = Limit(500, 8)
VALUE = Limit(160, 3)
DIFF_LINES = 16


@dataclass(slots=True)
class Tally:
    """Bytes of a card's texts, and whether any was cut."""

    size: int = 0
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Lens:
    """Masks and cuts the texts of one card, and adds them to the tally."""

    mask: Mask
    whole: bool = False
    scale: float = 1.0
    tally: Tally = field(default_factory=Tally)
    results: ResultsByCall = field(default_factory=ResultsByCall)

    def fresh(self) -> Lens:
        return Lens(self.mask, self.whole, self.scale, results=self.results)

    def line(self, text: str, chars: int = 160) -> str:
        """One line for a header. Cutting it does not mark the card as cut."""
        window = self.mask(text[: chars + _MARGIN])
        flat = _SPACE.sub(" ", spell_invisible(_TERMINAL.sub("", window[: 4 * chars]))).strip()
        return cut(flat, chars)

    def block(self, text: str, limit: Limit) -> str:
        """The start of a text, up to the limit."""
        self.tally.size += len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        chars, lines = self._limits(limit)
        masked = _TERMINAL.sub("", self.mask(text[: chars + _MARGIN]))
        short = _head(masked, chars, lines)
        if len(text) > chars + _MARGIN or len(short) < len(masked.rstrip()):
            self.tally.cut = True
        return spell_invisible(short.replace("\r\n", "\n"))

    def prose(self, text: str, limit: Limit = ANSWER) -> tuple[Part, ...]:
        return (Prose(self.block(text, limit)),) if text.strip() else ()

    def plain(self, text: str, limit: Limit = WORDS) -> tuple[Part, ...]:
        return (Plain(self.block(text.strip("\n"), limit)),) if text.strip() else ()

    def output(self, text: str, limit: Limit = OUTPUT, tone: str = "") -> tuple[Part, ...]:
        return (Output(self.block(text.strip("\n"), limit), tone),) if text.strip() else ()

    def first(self, texts: Iterable[str], count: int) -> tuple[str, ...]:
        """The first `count` of many short texts."""
        all_texts = list(texts)
        limit = len(all_texts) if self.whole else count
        if len(all_texts) > limit:
            self.tally.cut = True
        return tuple(self.line(text) for text in all_texts[:limit])

    def item_limit(self, count: int) -> int:
        """How many items of a list to show; `count` is the number at full scale."""
        return 20_000 if self.whole else max(3, int(count * self.scale))

    def line_width(self, chars: int) -> int:
        """How long a line may be; `chars` is the length at full scale."""
        return max(40, int(chars * min(1.0, self.scale)))

    def _limits(self, limit: Limit) -> tuple[int, int]:
        if self.whole:
            return CEILING, 0
        return max(40, int(limit.chars * self.scale)), limit.lines and max(3, int(limit.lines * self.scale))


def _head(text: str, chars: int, lines: int) -> str:
    """Cuts a text at the last paragraph, line or space before the limit."""
    text = text.rstrip()
    if lines:
        end = -1
        for _ in range(lines):
            end = text.find("\n", end + 1)
            if end < 0:
                break
        text = text if end < 0 else text[:end]
    if len(text) <= chars:
        return text
    floor = chars - chars // 5
    for mark in ("\n\n", "\n", " "):
        end = text.rfind(mark, floor, chars)
        if end > 0:
            return text[:end]
    return text[:chars]
