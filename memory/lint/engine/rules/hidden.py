"""Text that the agent reads and people do not see: invisible characters, reversed text, comments, text far to the
right."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import partial

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.file import FileKind, MemoryFile
from memory.lint.engine.finding import Changes, Finding, Fix, Severity
from memory.lint.engine.line_text import MOST_CHARACTERS
from memory.lint.engine.rules.reading import is_binary
from memory.lint.engine.surroundings import Surroundings
from sessions.text.engine.excerpt import excerpt

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_JOINERS = "\u200c\u200d"
_COMMENT = re.compile(
    r"<!--(?P<closed>.{0,20000}?)-->|<!--(?P<open>.*)\Z|^\[//\]:[ ]*#[ ]*[(\"'](?P<reference>[^\n]*)$",
    re.DOTALL | re.MULTILINE,
)
_FAR = re.compile(r"^(?!\s*\|)(?:.*?\S)?[ \t\u00a0]{100,}(?P<far>\S.*)$", re.MULTILINE)
_LONG_GAP = re.compile(r"[ \t\u00a0]{100}")
_UNSHOWN = re.compile(
    r"(?i)<[a-z]+[^<>]{0,200}(?:display\s*:\s*none|font-size\s*:\s*0|visibility\s*:\s*hidden)[^<>]{0,200}>"
)
_ORDER = re.compile(
    r"(?i)\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|rules?|above|previous|prior|everything)\b"
    r"|\byou (?:must|should|have to|are now|will)\b|\bsystem prompt\b|\b(?:do not|don't|never) (?:tell|mention|show)\b"
    r"|(?:^|[.!;:]\s*)(?:please |now |first |then )?(?:always|never|run|execute|curl|send|upload|delete|install|approve"
    r"|allow|reveal|exfiltrate|disable|remember|pretend)\b"
)
_HARMLESS = re.compile(r"(?i)\bdo not edit\b|\b(?:auto-?)?generated\b|markdownlint|prettier|eslint")


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    for file in directory.files:
        if file.kind is FileKind.OTHER or is_binary(file):
            continue
        text = file.text[:MOST_CHARACTERS]
        yield from _check_characters(file, text)
        if "<!--" in text or "[//]" in text:
            yield from _check_comments(file, text)
        yield from _check_out_of_sight(file, text)


def _check_characters(file: MemoryFile, text: str) -> Iterator[Finding]:
    if text.isascii() and text.isprintable():
        return
    fix = Fix("Take the characters out", partial(_remove_characters, file)) if file.is_whole else None
    control = list(_CONTROL.finditer(text))
    if control:
        words = f"{len(control)} control characters, the first one {_code_point(control[0][0])}."
        yield Finding(
            "control-characters", file.name, Severity.WARNING, words, _line_number(text, control[0].start()), fix=fix
        )
    if text.isascii():
        return
    unseen = [match for match in _INVISIBLE.finditer(text) if not _is_joiner_in_place(text, match.start())]
    if unseen:
        kinds = sorted({_code_point(match[0]) for match in unseen})
        words = f"{len(unseen)} characters that nobody sees: {', '.join(kinds[:4])}."
        yield Finding(
            "hidden-characters", file.name, Severity.ERROR, words, _line_number(text, unseen[0].start()), fix=fix
        )


def _is_joiner_in_place(text: str, position: int) -> bool:
    """Joiners are legitimate inside emoji and in some scripts."""
    if text[position] not in _JOINERS or not 0 < position < len(text) - 1:
        return False
    before, after = text[position - 1], text[position + 1]
    return not before.isspace() and ord(before) > 0x5FF and ord(after) > 0x5FF and unicodedata.category(after) != "Cf"


def _check_comments(file: MemoryFile, text: str) -> Iterator[Finding]:
    for match in _COMMENT.finditer(text):
        comment = (match["closed"] or match["open"] or match["reference"] or "").strip()
        order = bool(_ORDER.search(comment)) and not _HARMLESS.match(comment)
        rule, severity = ("hidden-instruction", Severity.ERROR) if order else ("hidden-comment", Severity.NOTE)
        effect = "tells the agent what to do" if order else "is read by the agent and not seen on a page"
        fix = (
            Fix("Remove the comment", partial(_remove_span, file, match.start(), match.end()))
            if file.is_whole
            else None
        )
        words = f"A comment {effect}: “{excerpt(comment)}”"
        yield Finding(rule, file.name, severity, words, _line_number(text, match.start()), fix=fix)


def _check_out_of_sight(file: MemoryFile, text: str) -> Iterator[Finding]:
    for match in _FAR.finditer(text) if _LONG_GAP.search(text) else ():
        words = f"Text stands far out of sight: “{excerpt(match['far'])}”"
        yield Finding("hidden-instruction", file.name, Severity.ERROR, words, _line_number(text, match.end()))
    for match in _UNSHOWN.finditer(text) if "<" in text else ():
        words = f"An element that is not shown holds text: “{excerpt(match[0])}”"
        yield Finding("hidden-instruction", file.name, Severity.ERROR, words, _line_number(text, match.start()))


def _line_number(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _code_point(char: str) -> str:
    return f"U+{ord(char):04X}"


def _remove_characters(file: MemoryFile) -> Changes:
    text = _CONTROL.sub("", file.source.text)
    visible = (
        char for position, char in enumerate(text) if not _INVISIBLE.match(char) or _is_joiner_in_place(text, position)
    )
    return {file.name: file.source.encode("".join(visible))}


def _remove_span(file: MemoryFile, start: int, end: int) -> Changes:
    text = file.source.text
    return {file.name: file.source.encode(text[:start] + text[end:])}
