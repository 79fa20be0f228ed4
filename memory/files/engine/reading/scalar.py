"""One value of a header. Agents write headers by hand and often break YAML's rules: the value is read as it was meant,
together with what YAML would refuse."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 100_000
"""Characters: longer values are not parsed."""
DEEPEST = 8
"""Nested lists and mappings."""
_COMMENT = re.compile(r"(?:^|\s)#")
_COLON = re.compile(r":(?:\s|$)")
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/", "r": "\r", "0": "\0"}
_RESERVED = "&*!%@`"
_ENTITLED = re.compile(r"[A-Za-z0-9_(/À-￿]")
_WORDS_OF_YAML = {"null", "~", "true", "false", "yes", "no", "on", "off"}


@dataclass(frozen=True, slots=True)
class Scalar:
    value: str
    items: tuple[str, ...] = ()
    """If it is a list."""
    pairs: tuple[tuple[str, str], ...] = ()
    """If it is a mapping in braces."""
    refused: str = ""
    """Why YAML would refuse it, as a sentence."""
    dropped: str = ""
    """What YAML would drop as a comment."""


def parse_scalar(raw: str, depth: int = 0) -> Scalar:
    """`depth`: number of lists and mappings around it."""
    raw = raw.strip()
    if len(raw) > LONGEST:
        return Scalar(raw, refused=f"The value has more than {LONGEST:,} characters, and was not taken apart.")
    if depth > DEEPEST and raw[:1] in ("[", "{"):
        return Scalar(raw, refused=f"Lists and mappings are nested more than {DEEPEST} deep, and were not taken apart.")
    if raw[:1] in ("'", '"'):
        return _parse_quoted(raw)
    if raw[:1] == "[":
        return _parse_list(raw, depth)
    if raw[:1] == "{":
        return _parse_mapping(raw, depth)
    if raw[:1] in tuple(_RESERVED) and raw:
        return Scalar(raw, refused=f"A value that begins with {raw[0]} has to be quoted.")
    if _COLON.search(raw):
        return Scalar(raw, refused="A value with a colon and a blank in it has to be quoted.")
    if comment := _COMMENT.search(raw):
        return Scalar(raw, dropped=raw[comment.start() :].strip())
    return Scalar(raw)


def quote_scalar(value: str) -> str:
    """Quotes the value for YAML, if necessary."""
    plain = parse_scalar(value)
    simple = value == value.strip() and "\n" not in value and _ENTITLED.match(value)
    if simple and not plain.refused and not plain.dropped and value.lower() not in _WORDS_OF_YAML:
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def _parse_quoted(raw: str) -> Scalar:
    quote, end = raw[0], 1
    while end < len(raw):
        if quote == '"' and raw[end] == "\\":
            end += 2
        elif raw[end] == quote:
            if quote == "'" and raw[end + 1 : end + 2] == "'":
                end += 2
            else:
                break
        else:
            end += 1
    if end >= len(raw):
        return Scalar(raw[1:], refused="A quote is opened and never closed.")
    rest = raw[end + 1 :].strip()
    if rest and not rest.startswith("#"):
        return Scalar(raw, refused="Text follows behind the closing quote.")
    return Scalar(_unescape(raw[1:end]) if quote == '"' else raw[1:end].replace("''", "'"))


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), text) if "\\" in text else text


def _parse_list(raw: str, depth: int) -> Scalar:
    closed = raw.rfind("]")
    inner = raw[1 : closed if closed > 0 else len(raw)]
    refused = "" if closed > 0 and not raw[closed + 1 :].strip() else "A list is opened with [ and never closed."
    items = [parse_scalar(item, depth + 1) for item in inner.split(",") if item.strip()]
    return Scalar(raw, items=tuple(item.value for item in items), refused=refused or _nested_refusal(items))


def _parse_mapping(raw: str, depth: int) -> Scalar:
    closed = raw.rfind("}")
    inner = raw[1 : closed if closed > 0 else len(raw)]
    refused = "" if closed > 0 and not raw[closed + 1 :].strip() else "A mapping is opened with { and never closed."
    pairs = [
        (key.strip().strip("'\""), parse_scalar(value, depth + 1))
        for key, colon, value in (pair.partition(":") for pair in inner.split(","))
        if colon
    ]
    refused = refused or _nested_refusal([value for _, value in pairs])
    return Scalar(raw, pairs=tuple((key, value.value) for key, value in pairs), refused=refused)


def _nested_refusal(values: Sequence[Scalar]) -> str:
    """The refusal of a nested value that was not parsed."""
    return next((value.refused for value in values if value.refused.endswith("not taken apart.")), "")
