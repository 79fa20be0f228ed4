"""Recordings without the client's own texts: each of its words becomes letters of the same number, by a hash.

The same word becomes the same letters wherever it stands, line by line: texts that were joined, cut and put into tags
still fit together, and a rule that reads one of them wrongly is still caught. What we wrote ourselves stays, and so do
tags, paths, names, numbers, words of less than three letters, and phrases of the client that our own rules quote.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

_VOWELS = frozenset("aeiouyAEIOUY")
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
_TOKEN = re.compile(
    r"\(Tools: [^()]*\)|</?[a-z][a-z-]*>|(?:(?<!\S)[\"'(`]?|(?<=\":\"))[/~.][\w./@-]+"
    r"|[A-Za-z0-9_]*[0-9_][A-Za-z0-9_]*|[A-Za-z]{3,}"
)
"""Lists of tools, tags, paths (also those in JSON) and what has digits in it, which stay; and words."""
_NAME = re.compile(r"[A-Za-z]+(?:[A-Z][a-z]*|[_-][A-Za-z]+)+")
_EDGE = re.compile(r"^[^A-Za-z]+|[^A-Za-z]+$")


class Mask:
    def __init__(self, phrases: Iterable[str], salt: bytes = b"") -> None:
        """`phrases`: what stays as it is, line by line. `salt`: without it, nobody can look for a word by its hash."""
        self._salt = salt
        self._lines: dict[str, str] = {}
        self._words: dict[str, str] = {}
        self._used: set[str] = set()
        self.kept: set[str] = set()
        """Phrases that were met."""
        self._phrases: dict[str, list[tuple[str, int]]] = defaultdict(list)
        """By their first token, the longest first, with the place of that."""
        for phrase in sorted({trimmed(line) for text in phrases for line in text.splitlines()}, key=len):
            if (first := _TOKEN.search(phrase)) is not None:
                self._phrases[first[0]].insert(0, (phrase, first.start()))

    def value(self, value: Any) -> Any:
        """JSON, with every text in it masked."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {name: self.value(item) for name, item in value.items()}
        return [self.value(item) for item in value] if isinstance(value, list) else value

    def text(self, text: str) -> str:
        return "\n".join(self._line(line) for line in text.split("\n"))

    def _line(self, line: str) -> str:
        if not re.search(r"\s", line.strip()):
            return line  # a name, an id, a path
        if line not in self._lines:
            self._lines[line] = "".join(self._parts(line))
        return self._lines[line]

    def _parts(self, line: str) -> Iterator[str]:
        place = 0
        while (match := _TOKEN.search(line, place)) is not None:
            yield line[place : match.start()]
            end = self._phrase_end(line, match)
            yield line[match.start() : end] if end else self._word(match[0])
            place = end or match.end()
        yield line[place:]

    def _phrase_end(self, line: str, match: re.Match[str]) -> int:
        for phrase, offset in self._phrases.get(match[0], ()):
            start = match.start() - offset
            end = start + len(phrase)
            if start >= 0 and line.startswith(phrase, start) and not line[end : end + 1].isalpha():
                self.kept.add(phrase)
                return end
        return 0

    def _word(self, word: str) -> str:
        if not word.isalpha() or not _VOWELS & set(word):
            return word
        if word not in self._words:
            attempts = (_letters(word, self._salt + bytes([attempt])) for attempt in range(256))
            # Two words must not become the same: the recording would hide a difference.
            self._words[word] = next(letters for letters in attempts if letters not in self._used)
            self._used.add(self._words[word])
        return self._words[word]


def _letters(word: str, salt: bytes) -> str:
    number = int.from_bytes(hashlib.sha256(salt + word.encode()).digest())
    letters = []
    for letter in word:
        number, digit = divmod(number, len(_CONSONANTS))
        letters.append(_CONSONANTS[digit].upper() if letter.isupper() else _CONSONANTS[digit])
    return "".join(letters)


def trimmed(line: str) -> str:
    """From its first letter to its last: what stands around them stays anyway."""
    return _EDGE.sub("", line)


def names(value: Any) -> Iterator[str]:
    """Names of tools, kinds of records and the like, which are facts and may stand in texts too."""
    if isinstance(value, str):
        if _NAME.fullmatch(value):
            yield value
    else:
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from names(item)


def texts(value: Any) -> Iterator[str]:
    """All strings in something that was put together of containers and dataclasses."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts([*value.keys(), *value.values()])
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from texts(item)
    elif hasattr(value, "__dataclass_fields__"):
        yield from texts([getattr(value, name) for name in value.__dataclass_fields__])
