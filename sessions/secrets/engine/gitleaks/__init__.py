"""Recognises keys of vendors by the rules of gitleaks, which are in `rules.json`, under the licence beside it. A rule
is tried only on texts that contain one of its keywords, and compiled when that first happens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sessions.secrets.engine.marker import MASK, bits, is_placeholder

BEFORE = 72
"""Characters that the name of a vendor and what follows it may take before the key."""
AFTER = 2
_RUN = re.compile(r"[A-Za-z0-9_+/=~.:-]{14,}")
_DIGIT = re.compile(r"\d")
_OPENING = re.compile(r"(?:\(\?i\)|\\b|\(\?:|\(\?i:|\()*")


@dataclass(frozen=True)
class Rule:
    id: str
    keywords: tuple[str, ...]
    regex: str
    entropy: float
    """The least number of bits per character that the secret has."""
    allowed: tuple[str, ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.regex)

    @cached_property
    def exceptions(self) -> tuple[re.Pattern[str], ...]:
        return tuple(map(re.compile, self.allowed))

    @cached_property
    def begins_with(self) -> str:
        """The literal that every match begins with; empty if there is none."""
        opening = _OPENING.match(self.regex)
        rest = self.regex[opening.end() if opening else 0 :].replace("\\.", ".")
        first = rest[: len(self.keywords[0])] if len(self.keywords) == 1 else ""
        alternatives = "|" in self.regex[: len(self.regex) - len(rest) + len(first) + 1]
        return first if first.lower() == self.keywords[0] and not alternatives else ""

    @property
    def ignores_case(self) -> bool:
        return self.regex.startswith("(?i")

    def mask(self, text: str, lower: str) -> str:
        if not self.begins_with:
            return self.pattern.sub(self._mask_match, text)
        word, haystack = (self.keywords[0], lower) if self.ignores_case else (self.begins_with, text)
        parts: list[str] = []
        copied, position = 0, haystack.find(word)
        while position >= 0:
            match = self.pattern.match(text, position)
            if match:
                parts += (text[copied:position], self._mask_match(match))
                copied = match.end()
            position = haystack.find(word, max(position + 1, copied))
        return "".join((*parts, text[copied:])) if parts else text

    def _mask_match(self, match: re.Match[str]) -> str:
        # The first group that matched is the secret; if there is none, the whole match is.
        group = next((number for number, value in enumerate(match.groups(), 1) if value), 0)
        secret = match.group(group)
        if MASK in match.group() or is_placeholder(secret) or bits(secret) < self.entropy or self._is_allowed(secret):
            return match.group()
        start, end = match.start(group) - match.start(), match.end(group) - match.start()
        return f"{match.group()[:start]}{MASK}{match.group()[end:]}"

    def _is_allowed(self, secret: str) -> bool:
        return any(exception.search(secret) for exception in self.exceptions)


def load_rules() -> tuple[Rule, ...]:
    rules = json.loads(Path(__file__).with_name("rules.json").read_text("utf-8"))
    return tuple(
        Rule(rule["id"], tuple(rule["keywords"]), rule["regex"], rule["entropy"], tuple(rule["allowed"]))
        for rule in rules
    )


RULES = load_rules()
_EXACT = tuple((rule.begins_with, rule) for rule in RULES if rule.begins_with and not rule.ignores_case)
_OTHERS = tuple((word, rule) for rule in RULES if not rule.begins_with or rule.ignores_case for word in rule.keywords)


def mask_vendors(text: str) -> str:
    """Searches only around possible keys: searching the whole text for two hundred vendor names takes too long."""
    parts: list[str] = []
    copied = 0
    for start, end in _candidates(text):
        piece = text[start:end]
        masked = _mask_piece(piece)
        if masked is not piece:
            parts += (text[copied:start], masked)
            copied = end
    return "".join((*parts, text[copied:])) if parts else text


def _candidates(text: str) -> Iterator[tuple[int, int]]:
    """Long words with a digit, each with the name before it and the character after it; neighbours are joined."""
    start = end = -1
    for run in _RUN.finditer(text):
        if not _DIGIT.search(text, run.start(), run.end()):
            continue
        if start >= 0 and run.start() - BEFORE > end:
            yield start, end
            start = -1
        if start < 0:
            start = max(0, run.start() - BEFORE, end)
        end = min(len(text), run.end() + AFTER)
    if start >= 0:
        yield start, end


def _mask_piece(text: str) -> str:
    lower = text.lower()
    if len(lower) != len(text):
        lower = text  # a letter becomes longer in lower case, so offsets would not agree
    due = [rule for word, rule in _EXACT if word in text]
    due += [rule for word, rule in _OTHERS if word in lower]
    for rule in dict.fromkeys(due):
        masked = rule.mask(text, lower)
        if masked is not text:
            text, lower = masked, masked.lower()
    return text
