"""Finds rules that an earlier summary had and a new one lacks, to carry them over word for word.

A summary of a summary is the only place where a rule of the user is left, so what it drops is lost. A rule that the
user has taken back is not carried over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compaction.mechanisms.engine.mechanical.statements import Rank, rank_of
from sessions.transcripts.engine.messages import Message, MessageKind

HEADING = "Rules that an earlier summary held, word for word:"
_LONGEST = 600
_SECTION = re.compile(r"^\s*\d+\.\s+(?P<title>[^\n:]+):", re.MULTILINE)
_OF_THE_USER = ("Primary Request and Intent", "All User Messages", HEADING.removesuffix(":"))
_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")
_MARKS = re.compile(r"^[\s>*\"“#-]+|[\s\"”]+$")
_WORD = re.compile(r"\w{3,}")
_TAKEN_BACK = re.compile(
    r"\b(no longer|any ?more|forget|never ?mind|take (that|it) back|you (may|can) now|does(n.t| not) (hold|apply))\b",
    re.IGNORECASE,
)
_SAID_AGAIN = re.compile(
    r"\b(never|not|n.t) forget\b|\b(never|must not|may not|cannot|(do not|don.t)(?! (have|need) to)) .*\bany ?more\b",
    re.IGNORECASE,
)
"""What looks as if it took a rule back, and is one."""
_SAME, _ABOUT = 0.8, 0.5
"""Shares of the words of a rule that stand in a sentence which says it again, or which takes it back."""


def lost_rules(summary: str, covered: Sequence[Message]) -> list[str]:
    """The rules of earlier summaries among the covered messages that the new summary lacks."""
    sentences = [_words(part) for part in _ENDS.split(summary)]
    lost: dict[str, None] = {}
    for index, message in enumerate(covered):
        if message.kind is not MessageKind.SUMMARY or not message.content:
            continue
        takebacks = [_words(part) for part in _takebacks(covered[index + 1 :])]
        for rule in _rules(str(message.content[0].get("text", ""))):
            words = _words(rule)
            is_held = any(_share(words, sentence) >= _SAME for sentence in sentences)
            if not is_held and not any(_share(words, sentence) >= _ABOUT for sentence in takebacks):
                lost.setdefault(rule)
    return list(lost)


def with_rules(summary: str, rules: Sequence[str]) -> str:
    lines = "\n".join(f"- {rule}" for rule in rules)
    return f"{summary.rstrip()}\n\n{HEADING}\n{lines}" if rules else summary


def _rules(summary: str) -> Iterator[str]:
    """What the user asked for, according to an earlier summary; its other sections are about the work."""
    for text in _sections(summary):
        for part in _ENDS.split(text):
            rule = _MARKS.sub("", part)
            if len(rule) <= _LONGEST and rank_of(rule) is Rank.RULE:
                yield rule


def _sections(summary: str) -> Iterator[str]:
    body, _, carried = summary.partition(HEADING)
    headings = list(_SECTION.finditer(body))
    ends = [*(heading.start() for heading in headings[1:]), len(body)][: len(headings)]
    mine = [
        body[heading.end() : end]
        for heading, end in zip(headings, ends, strict=True)
        if heading["title"].strip() in _OF_THE_USER
    ]
    yield from mine or [body]
    yield carried


def _takebacks(later: Sequence[Message]) -> Iterator[str]:
    for message in later:
        if message.kind is MessageKind.PROMPT:
            for block in message.content:
                parts = _ENDS.split(str(block.get("text", "")))
                yield from (part for part in parts if _TAKEN_BACK.search(part) and not _SAID_AGAIN.search(part))


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))


def _share(words: frozenset[str], sentence: frozenset[str]) -> float:
    return len(words & sentence) / len(words) if words else 1.0
