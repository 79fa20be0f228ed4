"""Spells out invisible characters, which can change how the text around them looks."""

from __future__ import annotations

import re

_NO_WIDTH = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
_INVISIBLE = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_NO_WIDTH}\ud800-\udfff]")
_WITHOUT_WIDTH = re.compile(f"[{_NO_WIDTH}]")
_JOINING = re.compile("[\u00ad\u034f\u200c\u200d\U000e0100-\U000e01ef]")


def has_invisible(text: str) -> bool:
    return _INVISIBLE.search(text) is not None


def spell_invisible(text: str) -> str:
    """The text with control characters, bidi overrides and other invisible characters spelled out."""
    return _INVISIBLE.sub(_spell, text) if _INVISIBLE.search(text) else text


def reference_invisible(text: str) -> str:
    """HTML that a browser sends back unchanged, such as the text in a form, with characters without a width as
    references.

    Control characters stay: a reference to one between 128 and 159 would mean another character, and none of them
    changes the direction of text.
    """
    return _WITHOUT_WIDTH.sub(lambda match: f"&#x{ord(match[0]):X};", text)


def escape_invisible(text: str) -> str:
    """The same JSON with such characters escaped. They can only be in strings."""
    return _INVISIBLE.sub(lambda match: _utf16_escapes(match[0]), text)


def _spell(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if _JOINING.match(match[0]) and _is_part_of_writing(match.string, match.start()):
        return match[0]
    return f"\u27e8U+{code:04X}\u27e9"


def _is_part_of_writing(text: str, position: int) -> bool:
    """Joiners hold emoji together and shape the letters of some scripts, where they are part of the writing."""
    before, after = text[position - 1 : position], text[position + 1 : position + 2]
    foreign = before > "\u00ff" and (not after or after > "\u00ff" or after.isspace())
    return foreign and not _INVISIBLE.match(before)


def _utf16_escapes(char: str) -> str:
    data = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{data[index : index + 2].hex()}" for index in range(0, len(data), 2))
