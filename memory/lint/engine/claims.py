"""Claims of a topic in forms that can be compared without understanding them: `Key: value`, “X is Y”, and required
versions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.files.engine.reading.file import MemoryFile
from memory.lint.engine.stems import STOPWORDS, stem

MOST_CLAIMS = 200
"""Per topic."""
_LABEL = re.compile(r"^[\s>*+-]*\**(?P<key>[A-Za-z][\w /.-]{2,40}?)\**\s*[:=]\**\s+(?P<value>[^|]{1,80})$")
_COPULA = re.compile(
    r"(?P<key>(?:[\w'’./-]+\s+){1,9}[\w'’./-]+)\s+"
    r"(?P<verb>is|are|starts?|begins?|ends?|expires?|runs on|lives in|defaults to|must be)\s+"
    r"(?P<value>[^;:,()!?]{1,80})"
)
_VERSION = re.compile(
    r"(?i:\b(?:uses?|using|requires?|needs?|pinned to|pins?|targets?|runs? on|runs? with|built with|supports?|stay on))"
    r"[^.;\n]{0,30}?\b(?P<key>[A-Za-z][A-Za-z+#-]{1,20})\s+(?:version\s+)?v?(?P<value>\d+(?:\.\d+){0,3})\b"
)
_FORMS = (
    "why how apply note notes example examples see also todo fix problem status state what where when who source "
    "sources date updated modified step steps result results summary usage name description type"
)
_NO_KEYS = frozenset({*_FORMS.split(), "how to apply", "see also"})
_LONGEST = 1_000
_SENTENCE = re.compile(r"\s(?<=[.!?]\s)\s*|\n")
"""Starts with the rarer part: several times faster than starting with what precedes it."""
_END = re.compile(
    r"\s+(?:and|but|because|so|where|when|while|which|only|until|unless|since|for|as)\b|[.,;(]\s|[.]$|\s[—–-]\s"
)
_EXACT = re.compile(r"\d{4}-\d\d(?:-\d\d)?|\bv?\d+(?:\.\d+)+\b|\b\d+\b")
_WORD = re.compile(r"[\w'’./-]+")
_MARKUP = str.maketrans("", "", "*_`")
_PRONOUNS = "it this that they these those there he she we you i which what project user"
_VAGUE = frozenset(_PRONOUNS.split())
_DIGIT = re.compile(r"\d")
_PARTICIPLE = re.compile(r"\w+(?:ed|ing|en)$")


@dataclass(frozen=True, slots=True)
class Claim:
    key: str
    """The subject, in a common form."""
    value: str
    """As written."""
    sentence: str
    """The whole sentence."""
    line: int
    is_general: bool
    """The key alone does not identify the subject: `Owner`, `Version`."""

    @property
    def words(self) -> frozenset[str]:
        return frozenset(stem(word) for word in _WORD.findall(self.value.lower().strip(".")) if word not in STOPWORDS)

    @property
    def exact_values(self) -> frozenset[str]:
        """Dates, versions and numbers in the value."""
        return frozenset(match.lstrip("v") for match in _EXACT.findall(self.value.lower()))

    @property
    def is_denial(self) -> bool:
        return bool(re.search(r"(?i)\b(not|no longer|never)\b", self.value))


def find_claims(topic: MemoryFile) -> Iterator[Claim]:
    count = 0
    for line, text in _sentences(topic):
        for claim in _parse_claims(text, line):
            yield claim
            count += 1
        if count >= MOST_CLAIMS:
            return


def _sentences(topic: MemoryFile) -> Iterator[tuple[int, str]]:
    if field := topic.header.field("description"):
        yield field.first, field.value
    for line in topic.body_lines:
        if not line.in_code and len(line.text) < _LONGEST and _may_claim(line.text):
            for sentence in _SENTENCE.split(line.text.translate(_MARKUP)):
                yield line.number, sentence.strip()


def _may_claim(text: str) -> bool:
    """A quick test: most lines make no claim and need not be parsed."""
    if ":" in text or "=" in text or " is " in text or " are " in text or " must be " in text:
        return True
    return " runs on " in text or " lives in " in text or " defaults to " in text or bool(_DIGIT.search(text))


def _parse_claims(text: str, line: int) -> Iterator[Claim]:
    for match in _VERSION.finditer(text) if _DIGIT.search(text) else ():
        yield Claim(f"version of {match['key'].lower()}", match["value"], text, line, is_general=False)
    if (":" in text or "=" in text) and (label := _LABEL.match(text)):
        key = _normalize_key(label["key"])
        if key and label["key"].lower().strip() not in _NO_KEYS:
            yield Claim(f"{key}:", _cut_value(label["value"]), text, line, is_general=len(key.split()) < 2)
    elif copula := _COPULA.match(text):
        key, value = _normalize_key(copula["key"]), _cut_value(copula["value"])
        first = copula["key"].split()[0].lower()
        if len(key.split()) > 1 and len(copula["key"].split()) > 2 and first not in _VAGUE and value:
            yield Claim(f"{key} {copula['verb']}", value, text, line, is_general=False)


def _normalize_key(text: str) -> str:
    return " ".join(stem(word) for word in _WORD.findall(text.lower()) if word not in STOPWORDS)


def _cut_value(value: str) -> str:
    """Cuts the value where another clause begins."""
    end = _END.search(value)
    return (value[: end.start()] if end else value).strip(" .")


def contradict(first: Claim, second: Claim) -> bool:
    """Two values for the same key that cannot both hold."""
    if first.exact_values and second.exact_values:
        rest = {word for word in first.words ^ second.words if not _EXACT.search(word)}
        return first.exact_values.isdisjoint(second.exact_values) and not rest
    if first.is_denial != second.is_denial:
        return bool(first.words & second.words) and first.words ^ second.words <= {"not", "longer"}
    if first.exact_values or second.exact_values or not first.words or not second.words or first.words & second.words:
        return False
    return all(_is_name(claim.value) for claim in (first, second))


def _is_name(value: str) -> bool:
    """Up to four words that name something. Participles are no names: several can be true of one subject."""
    words = _WORD.findall(value)
    return 0 < len(words) <= 4 and not _PARTICIPLE.match(words[0].lower())
