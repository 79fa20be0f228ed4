"""What can be looked for of a sentence: its words, runs of them, quotes, names of files, pieces of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from compaction.trail.engine.attribution.attribution import Why
from compaction.trail.engine.attribution.common import COMMON
from compaction.trail.engine.attribution.sentences import Form, Sentence
from compaction.trail.engine.attribution.summary import Section
from compaction.trail.engine.attribution.words import words_of

RUN = 5
"""Words in a row that two texts hardly share by chance."""
_LONGEST_PHRASE = 8
_LONGEST_QUOTE = 4_000
_MOST_QUOTES = 40
_QUOTED = re.compile(r'"([^"\n]{2,4000})"|“([^“”\n]{2,4000})”|«([^«»\n]{2,4000})»')
_CODE = re.compile(r"`([^`\n]{2,400})`")
_PATH = re.compile(
    r"(?<![\w.@~+-])[\w.@~+-]{0,200}(?:/[\w.@+-]{1,200}){1,40}"
    r"|(?<![\w.@~+-])[\w-]{0,100}(?:\.[\w-]{1,60}){0,4}\.[A-Za-z][A-Za-z0-9]{0,5}\b"
)
_ADDRESS = re.compile(r"https?://[^\s\"'`<>)]{1,2000}")
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")
_NAME = re.compile(r"\b[A-Za-z]\w{0,100}(?:_\w|[a-z][A-Z])\w{0,100}\b")
_MOST_ABOVE = 4
_EDGES = " \t\r\n\"'“”‘’«»„`*_"

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clues:
    number: int
    words: tuple[str, ...]
    """In their order."""
    quotes: tuple[Phrase, ...] = ()
    """What the sentence gives as the words of somebody."""
    phrases: dict[Phrase, tuple[Why, str]] = field(default_factory=dict)
    """Names of files and pieces of code, with how to show them."""
    paths: tuple[Phrase, ...] = ()
    """The same files with all that stands before their names: long, but no words of anybody."""
    names: frozenset[str] = frozenset()
    """Words that are names in code."""
    under: tuple[Phrase, ...] = ()
    """The files that the items above it are about."""

    @property
    def telling(self) -> Iterator[str]:
        """The words that say something. A single letter does not; in scripts without spaces it is a word."""
        return (word for word in self.words if word not in COMMON and (len(word) > 1 or not word.isascii()))


def clues_of(section: Section) -> list[Clues]:
    """Those of each sentence. An item is about the files of the item that it is part of."""
    above: list[tuple[int, tuple[Phrase, ...]]] = []
    found = []
    for sentence in section.sentences:
        if sentence.form is not Form.CODE:
            above = [(depth, files) for depth, files in above if depth < sentence.depth or not sentence.opens]
        under = tuple(file for _, files in above for file in files)
        one = _clues(sentence, under, spoken=section.spoken)
        files = tuple(phrase for phrase, (why, _) in one.phrases.items() if why is Why.FILE)
        if files and sentence.form is not Form.CODE:
            above.append((sentence.depth, files[:_MOST_ABOVE]))
        found.append(one)
    return found


def _clues(sentence: Sentence, under: tuple[Phrase, ...], *, spoken: bool) -> Clues:
    text = sentence.text
    said = [text.strip(_EDGES)] if spoken or sentence.form is Form.QUOTE else []
    said += [next(filter(None, quote.groups())) for quote in _QUOTED.finditer(text)]
    quotes = dict.fromkeys(tuple(words_of(one[:_LONGEST_QUOTE])) for one in said[:_MOST_QUOTES])
    phrases: dict[Phrase, tuple[Why, str]] = {}
    paths = []
    for phrase, shown in _files(text):
        phrases.setdefault(phrase, (Why.FILE, shown))
        paths.append(tuple(words_of(shown)))
    names = [word for name in _NAME.findall(text) for word in words_of(name)]
    if sentence.form is not Form.CODE:
        for code in _CODE.finditer(text):
            words = tuple(words_of(code[1]))
            names += words
            if 2 <= len(words) <= _LONGEST_PHRASE:
                phrases.setdefault(words, (Why.CODE, code[1].strip()))
    return Clues(
        sentence.number,
        tuple(words_of(text)),
        tuple(one for one in quotes if one),
        phrases,
        tuple(paths[:_MOST_QUOTES]),
        frozenset(names) - COMMON,
        under,
    )


def _files(text: str) -> Iterator[tuple[Phrase, str]]:
    """Names of files, each as the words of its last part and of the directory that it is in."""
    for found in _PATH.finditer(_ADDRESS.sub(" ", text)):
        path = found[0].rstrip(".-")
        *parents, name = path.split("/")
        if not name or not _ENDING.search(name):
            continue
        words = words_of(name)
        above = words_of(parents[-1])[-1:] if parents else []
        phrase = tuple([*above, *words][-_LONGEST_PHRASE:])
        if len(phrase) > 1:
            yield phrase, path
