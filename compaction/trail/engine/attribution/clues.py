"""What a search for the source of a sentence can use: words, runs of words, quotes, names of files, pieces of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from compaction.trail.engine.attribution.attribution import SourceKind
from compaction.trail.engine.attribution.sentences import Sentence, SentenceForm
from compaction.trail.engine.attribution.summary import Section
from compaction.trail.engine.attribution.words import words_of

COMMON = frozenset(
    words_of(
        """
        a about above added adding after again against all also although always am an and any are aren as asked asks
        assistant at away back be because been before behind being below between both but by came can cannot changed
        changes conversation could couldn created creating current currently d did didn discovered do does doesn doing
        don done down during each either else ensure etc even ever every few first following for found from further
        get gets getting give given go goes going gone good got had hadn has hasn have haven having he her here hers
        him his how however i identified if in initial instead into is isn it its itself just keep kept know last let
        like ll looks made make makes making many may me message messages might mine more most much must my need
        needed needs never new next no none nor not noted nothing now of off ok okay old on once one only or other our
        ours out over own per please put quite rather re really request requested s said same say says second see seen
        session she should shouldn since so some something still successfully such summary sure t take taken task
        tasks than that the their them then there therefore these they thing things this those though through thus to
        together too toward two under until up upon us use used user users uses using ve very via want wanted wants
        was wasn way we well went were weren what when where whether which while who whole whom whose why will with
        within without won work worked working would wouldn yes yet you your yours
        """
    )
)
RUN_LENGTH = 5
"""Two texts hardly ever share this many words in a row by chance."""
_LONGEST_PHRASE = 8
_LONGEST_QUOTE = 4_000
_MOST_QUOTES = 40
_QUOTED = re.compile(r'"([^"\n]{2,4000})"|“([^“”\n]{2,4000})”|«([^«»\n]{2,4000})»')
_CODE = re.compile(r"`([^`\n]{2,400})`")
_PATH = re.compile(
    r"(?<![\w.@~+-])[\w.@~+-]{0,200}(?:/[\w.@+-]{1,200}){1,40}"
    r"|(?<![\w.@~+-])[\w-]{0,100}(?:\.[\w-]{1,60}){0,4}\.[A-Za-z][A-Za-z0-9]{0,5}\b"
)
_URL = re.compile(r"https?://[^\s\"'`<>)]{1,2000}")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")
_NAME = re.compile(r"\b[A-Za-z]\w{0,100}(?:_\w|[a-z][A-Z])\w{0,100}\b")
_MOST_PARENT_FILES = 4
_EDGES = " \t\r\n\"'“”‘’«»„`*_"

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SentenceClues:
    number: int
    words: tuple[str, ...]
    """In the order of the sentence."""
    quotes: tuple[Phrase, ...] = ()
    """What the sentence quotes."""
    phrases: dict[Phrase, tuple[SourceKind, str]] = field(default_factory=dict)
    """Names of files and pieces of code, each with the text to show."""
    paths: tuple[Phrase, ...] = ()
    """The same files with their whole paths: long runs of words that are not a quote."""
    names: frozenset[str] = frozenset()
    """Words that are identifiers in code."""
    parent_files: tuple[Phrase, ...] = ()
    """The files that the list items above the sentence are about."""

    @property
    def distinctive_words(self) -> Iterator[str]:
        """Without common words and single letters. In scripts without spaces a single character is a word."""
        return (word for word in self.words if word not in COMMON and (len(word) > 1 or not word.isascii()))


def clues_of(section: Section) -> list[SentenceClues]:
    """The clues of each sentence. An item is also about the files of the items that it is nested in."""
    parents: list[tuple[int, tuple[Phrase, ...]]] = []
    clues_by_sentence = []
    for sentence in section.sentences:
        if sentence.form is not SentenceForm.CODE:
            parents = [(depth, files) for depth, files in parents if depth < sentence.depth or not sentence.is_first]
        parent_files = tuple(file for _, files in parents for file in files)
        clues = _find_clues(sentence, parent_files, is_user_quote=section.quotes_user)
        files = tuple(phrase for phrase, (why, _) in clues.phrases.items() if why is SourceKind.FILE)
        if files and sentence.form is not SentenceForm.CODE:
            parents.append((sentence.depth, files[:_MOST_PARENT_FILES]))
        clues_by_sentence.append(clues)
    return clues_by_sentence


def _find_clues(sentence: Sentence, parent_files: tuple[Phrase, ...], *, is_user_quote: bool) -> SentenceClues:
    text = sentence.text
    quoted_texts = [text.strip(_EDGES)] if is_user_quote or sentence.form is SentenceForm.QUOTE else []
    quoted_texts += [next(filter(None, quote.groups())) for quote in _QUOTED.finditer(text)]
    quotes = dict.fromkeys(tuple(words_of(quote[:_LONGEST_QUOTE])) for quote in quoted_texts[:_MOST_QUOTES])
    phrases: dict[Phrase, tuple[SourceKind, str]] = {}
    paths = []
    for phrase, path in _files(text):
        phrases.setdefault(phrase, (SourceKind.FILE, path))
        paths.append(tuple(words_of(path)))
    names = [word for name in _NAME.findall(text) for word in words_of(name)]
    if sentence.form is not SentenceForm.CODE:
        for code in _CODE.finditer(text):
            words = tuple(words_of(code[1]))
            names += words
            if 2 <= len(words) <= _LONGEST_PHRASE:
                phrases.setdefault(words, (SourceKind.CODE, code[1].strip()))
    return SentenceClues(
        sentence.number,
        tuple(words_of(text)),
        tuple(quote for quote in quotes if quote),
        phrases,
        tuple(paths[:_MOST_QUOTES]),
        frozenset(names) - COMMON,
        parent_files,
    )


def _files(text: str) -> Iterator[tuple[Phrase, str]]:
    """Names of files, each as the words of its name and of its directory, with the path."""
    for match in _PATH.finditer(_URL.sub(" ", text)):
        path = match[0].rstrip(".-")
        *parents, name = path.split("/")
        if not name or not _EXTENSION.search(name):
            continue
        words = words_of(name)
        directory = words_of(parents[-1])[-1:] if parents else []
        phrase = tuple([*directory, *words][-_LONGEST_PHRASE:])
        if len(phrase) > 1:
            yield phrase, path
