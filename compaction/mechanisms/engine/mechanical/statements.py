"""Splits what a person wrote into statements, sorted by how much is lost without them: rules come before facts, and
facts before remarks, wherever they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import dropwhile, groupby, islice, pairwise, takewhile

from compaction.mechanisms.engine.mechanical.text_fitting import GAP, LEAST, longest_length, shorten

LABEL = "Put together mechanically: it quotes and lists, and judges nothing."
RULES = "- Rules that the summary of what came before states:"
WHOLE = 320
"""A message of at most so many characters is one statement."""
PASTED = 4_000
"""A message of more characters was not typed: what looks like a rule in it may be anybody's."""
_LONGEST = 600
"""Characters of one statement."""
_MARKUP = len('- ""\n')
_INDENT = 4
"""Of further lines of a message. With less, a number in front could be taken for one of our headings."""
_GAP_LINE = f"- {GAP}"

_ENDS = re.compile(r"(?<=[.!?])\s+(?=[\"'(\[]?[A-Z0-9])|(?<=[。！？])|\n+")
_RULE = re.compile(
    r"""\b(?: never | always | must(?:n't)? | shall | (?:do\s+not|don'?t)\b(?!\s+(?:know|think|see|understand))
        | cannot | may\s+not | not\s+allowed | forbidden | avoid | make\s+sure | ensure | required?\b | require[sd]
        | from\s+now\s+on | remember\s+(?:that|to) | at\s+(?:most|least) | under\s+no | no\s+matter
        | without\s+(?:my|asking|approval|consent) | instead\s+of | rather\s+than | not\s+\w+\s+but | stop\s+\w+ing
        | (?:use|run|change|touch|write)\s+only | unless | until
        | niemals? | immer | muss | darf | bitte\s+nicht | jamais | toujours | nunca | siempre | debe )\b
      | (?:^|[.:;]\s+)(?:only|no|not|wrong|actually|stop)\b
      | \bthat'?s\s+(?:not|wrong) | \bI\s+(?:said|told|asked|meant)\b
      | 不要|不能|不得|必须|务必|永远|总是|禁止|しないで|必ず|禁止""",
    re.IGNORECASE | re.VERBOSE,
)
_LABEL = re.compile(
    r"^\W*(?:[A-Z]+[ _-]){0,3}(?:RULE|CONSTRAINT|REQUIREMENT|IMPORTANT|WARNING|CAUTION)S?\s*:", re.IGNORECASE
)
_EMPHASIS = re.compile(r"^\W*[A-Z][A-Z]+(?:[ _-][A-Z]+)*\s*:")
"""A label in capitals: people write what matters so."""
_WISH = re.compile(
    r"\b(?:prefers?|wants?|would\s+like|wish|should|please|decided?|agreed|chose|go\s+with|let'?s|use|next\s+step|bitte)\b",
    re.IGNORECASE,
)
_DETAIL = re.compile(r"\d|https?://|[\w.-]+/[\w./-]+|`[^`]+`|\b\w+_\w+|\b[a-z]+[A-Z]\w*|\b[A-Z]{2,}-\w+|\$\w")
_MARKS = re.compile(r"^[\s>*#-]+")
_VALUE = re.compile(r"[$€£]\s?\d[\d.,]*|\b\d{4}-\d{2}-\d{2}\b")
"""An amount or a date. A later statement that differs only in these brings the earlier one up to date."""


class Rank(IntEnum):
    RULE = 0
    """An instruction, a constraint or a correction."""
    WISH = 1
    DETAIL = 2
    """It names a number, a file, an address or a name in code."""
    REMARK = 3


@dataclass(frozen=True, slots=True)
class Statement:
    message: int
    text: str
    rank: Rank


def statements_of(requests: Sequence[str]) -> list[Statement]:
    """The statements in order. Repeated ones count once; of an amount or a date the last value counts."""
    statements = [
        Statement(number, part, rank_of(part, is_pasted=len(text) > PASTED))
        for number, text in enumerate(requests)
        for part in _split(text)
    ]
    latest = {_VALUE.sub("#", statement.text): statement for statement in statements}
    first: dict[str, Statement] = {}
    for statement in statements:
        first.setdefault(statement.text, statement)
    current = {statement.text for statement in latest.values()}
    return [statement for statement in first.values() if statement.text in current]


def rules_of(summary: str, quoted: Sequence[str]) -> list[str]:
    """The rules that a summary states in words of its own, outside of its quoted messages."""
    if summary.startswith(LABEL):
        lines = iter(summary.splitlines())
        rules = [line[2:] for line in takewhile(_is_quote, islice(dropwhile(RULES.__ne__, lines), 1, None))]
    else:
        flat = " ".join(" ".join(quoted).split())
        parts = [_MARKS.sub("", part.strip()) for part in _ENDS.split(summary)]
        rules = [part for part in parts if rank_of(part) is Rank.RULE and " ".join(part.split()) not in flat]
    return [shorten(rule, _LONGEST) for rule in dict.fromkeys(rules)]


def rank_of(text: str, *, is_pasted: bool = False) -> Rank:
    if is_pasted:
        return Rank.REMARK
    if _RULE.search(text) or _LABEL.search(text):
        return Rank.RULE
    if _EMPHASIS.search(text) or _WISH.search(text):
        return Rank.WISH
    return Rank.DETAIL if _DETAIL.search(text) else Rank.REMARK


def quote_statements(requests: Sequence[str], room: int, remarks: int) -> list[str]:
    """The messages as lines of at most `room` characters: whole if all of them fit, else the statements that matter
    most, with a mark for what is left out. `remarks`: the room up to which remarks are quoted as well."""
    texts = [text for text in dict.fromkeys(requests) if text != GAP]
    whole = [line for text in texts for line in _quote(text)]
    gap = len(_GAP_LINE) + 1
    if length_of(whole) <= remarks - gap:
        return [*whole, _GAP_LINE] if GAP in requests else whole
    statements = statements_of(texts)
    chosen = _choose(statements, room - gap, remarks - gap)
    lines = [line for text in _texts(statements, chosen) for line in _quote(text)]
    return [*lines, _GAP_LINE] if room > gap else []


def _choose(statements: Sequence[Statement], room: int, remarks: int) -> dict[int, str]:
    """First whatever matters, word for word: the earliest rules before later ones, so that each compaction keeps those
    that the last has kept, and of others the latest. Then the rest, shortened if need be."""
    chosen: dict[int, str] = {}
    left = room
    for number in sorted(range(len(statements)), key=lambda number: _order(statements[number], number)):
        statement = statements[number]
        size = _size(statement.text)
        longest = _LONGEST if statement.rank is Rank.RULE else WHOLE
        if statement.rank is not Rank.REMARK and size <= min(left, longest):
            chosen[number] = statement.text
            left -= size
    rest = [number for number in range(len(statements)) if number not in chosen]
    return chosen | _shortened(statements, rest, min(left, remarks))


def _shortened(statements: Sequence[Statement], numbers: Sequence[int], room: int) -> dict[int, str]:
    """All of them with the longest cut, or as many of the latest as the room allows."""
    markup = sum(_size(statements[number].text) - len(statements[number].text) for number in numbers)
    most = longest_length([len(statements[number].text) for number in numbers], room - markup)
    if most >= LEAST:
        return {number: shorten(statements[number].text, most) for number in numbers}
    chosen: dict[int, str] = {}
    for number in reversed(numbers):
        text = shorten(statements[number].text, LEAST)
        room -= _size(text)
        if room < 0:
            break
        chosen[number] = text
    return chosen


def _size(text: str) -> int:
    return len(text) + text.count("\n") * _INDENT + _MARKUP


def _order(statement: Statement, number: int) -> tuple[int, int]:
    return statement.rank, number if statement.rank is Rank.RULE else -number


def _texts(statements: Sequence[Statement], chosen: dict[int, str]) -> Iterator[str]:
    """What was chosen of each message, with marked gaps."""
    for _, group in groupby(range(len(statements)), key=lambda number: statements[number].message):
        kept = [number for number in group if number in chosen]
        if kept:
            gaps = (f" {GAP} " if later > number + 1 else "\n" for number, later in pairwise(kept))
            yield "".join(f"{chosen[number]}{gap}" for number, gap in zip(kept, [*gaps, ""], strict=True))


def _is_quote(line: str) -> bool:
    return line.startswith("> ")


def _quote(text: str) -> list[str]:
    first, *more = text.splitlines() or [""]
    whole = [f'- "{first}', *(" " * _INDENT + line for line in more)]
    whole[-1] += '"'
    return whole


def _split(text: str) -> Iterable[str]:
    if len(text) <= WHOLE:
        return [text]
    return [part.strip() for part in _ENDS.split(text) if part.strip()]


def length_of(lines: Iterable[str]) -> int:
    """With the ends of lines."""
    return sum(len(line) + 1 for line in lines)
