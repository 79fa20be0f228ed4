"""What can be looked for of a sentence: its words, runs of them, quotes, names of files, pieces of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from compaction.engine.attribution.attribution import Why
from compaction.engine.attribution.sentences import Form, Sentence
from compaction.engine.attribution.words import words_of

RUN = 5
"""Words in a row that two texts hardly share by chance."""
_LONGEST_PHRASE = 8
_LONGEST_QUOTE = 4_000
_QUOTED = re.compile(r'"([^"\n]{2,4000})"|“([^”\n]{2,4000})”|«([^»\n]{2,4000})»')
_CODE = re.compile(r"`([^`\n]{2,400})`")
_PATH = re.compile(
    r"[\w.@~+-]{0,200}(?:/[\w.@+-]{1,200}){1,40}"
    r"|[\w-]{1,100}(?:\.[\w-]{1,60}){0,4}\.[A-Za-z][A-Za-z0-9]{0,5}\b"
)
_ADDRESS = re.compile(r"https?://[^\s\"'`<>)]{1,2000}")
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")
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


def clues_of(sentence: Sentence, *, spoken: bool) -> Clues:
    """`spoken`: the whole sentence is given as words of the user."""
    text = sentence.text
    said = [text.strip(_EDGES)] if spoken or sentence.form is Form.QUOTE else []
    said += [next(filter(None, quote.groups())) for quote in _QUOTED.finditer(text)]
    quotes = dict.fromkeys(tuple(words_of(one[:_LONGEST_QUOTE])) for one in said)
    phrases: dict[Phrase, tuple[Why, str]] = {}
    for phrase, shown in _files(text):
        phrases.setdefault(phrase, (Why.FILE, shown))
    if sentence.form is not Form.CODE:
        for code in _CODE.finditer(text):
            words = tuple(words_of(code[1]))
            if 2 <= len(words) <= _LONGEST_PHRASE:
                phrases.setdefault(words, (Why.CODE, code[1].strip()))
    return Clues(sentence.number, tuple(words_of(text)), tuple(one for one in quotes if one), phrases)


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
