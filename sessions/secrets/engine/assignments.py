"""Recognises secrets by the name of their variable or option: PASSWORD=..., "api_key": "...", --token ...

A name alone proves little (`token: str`, `max_tokens=4096`), so the value must look like a secret too.
"""

from __future__ import annotations

import re

from sessions.secrets.engine.marker import MASK, bits, is_placeholder

_NAME = re.compile(
    r"p(?:assw(?:or)?d|assphrase|rivate[_-]?[kK]ey)"
    r"|P(?:assw(?:or)?d|assphrase|rivate[_-]?[kK]ey|ASSW(?:OR)?D|ASSPHRASE|RIVATE[_-]?KEY)"
    r"|secret|S(?:ecret|ECRET)"
    r"|token|T(?:oken|OKEN)"
    r"|a(?:(?:pi|ccess|ccount|uth)[_-]?[kK]ey|uthorization)"
    r"|A(?:(?:pi|ccess|ccount|uth)[_-]?[kK]ey|uthorization|(?:PI|CCESS|CCOUNT|UTH)[_-]?KEY|UTHORIZATION)"
    r"|c(?:redentials?|lient[_-]?[kK]ey)|C(?:redentials?|lient[_-]?[kK]ey|REDENTIALS?|LIENT[_-]?KEY)"
    r"|_(?:pwd|PWD|KEY)|KEY(?<!\wKEY)"
)
"""Spelled out by first letter, which is five times as fast as ignoring case."""
_BARE = r"[^\s\"'`\\,;<>(){}\[\]|…]"
_VALUE = re.compile(
    r"(?P<rest>[A-Za-z0-9_-]{0,30})"
    r"(?P<sep>\\?[\"']?(?:\s{0,3}:\s{0,3}(?:str|string|String)(?=\s{0,3}=))?\s{0,3}(?:=>|:=|==?|:)\s{0,3}|\s{1,2})"
    r"(?:\\?\"(?P<double>[^\"\\\n]{4,})(?=\\?\")|\\?'(?P<single>[^'\\\n]{4,})(?=\\?')|`(?P<tick>[^`\\\n]{4,})(?=`)"
    rf"|(?:(?:Token|token|ApiKey)\s{{1,2}})?(?P<bare>{_BARE}{{4,64}}))"
)
"""The value is the last group. Of a bare value only the beginning is matched, enough to judge it."""
_REST_OF_BARE = re.compile(f"{_BARE}*")
_OTHER_THING = re.compile(
    r"[_-]?(?:count|type|name|ur[li]|id|limit|usage|len|size|budget|file|path|env|var|field|expir|ttl|reset|policy|param"
    r"|header|label|rule|manager|store|provider|class|bucket|prefix|input|prompt|min|max|per)",
    re.IGNORECASE,
)
_FLAG = re.compile(r"(?:^|\s)--[A-Za-z0-9-]{0,30}$")
_CODE = re.compile(r"[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$|[a-z]+(?:_[a-z0-9]+)+$|[./~]|\w{1,12}://")
_TYPE = re.compile(r"[A-Z][A-Za-z]*\d{1,3}[A-Za-z]*$")
_OWN_NAME = re.compile(r"pass|pwd|secret|token|key", re.IGNORECASE)
_NOT_SECRET_KEY = re.compile(r"(?:PUBLIC|CACHE|PRIMARY|FOREIGN|SORT|HASH|PARTITION|OBJECT)$")
_OTHER_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$|[0-9a-f]{40}$")
_DIGIT = re.compile(r"\d")
_JUDGED = 64
_RANDOM_BITS = 2.8
"""Bits per character from which the value of such a name counts as random."""


def mask_assignments(text: str) -> str:
    parts: list[str] = []
    copied = position = 0
    while name := _NAME.search(text, position):
        position = name.end()
        value = _VALUE.match(text, position)
        if value is None or not _is_secret(text, name, value):
            continue
        parts += (text[copied : value.start(_kind(value))], MASK)
        copied = position = _end_of_bare(text, value.end()) if value["bare"] else value.end()
    return "".join((*parts, text[copied:])) if parts else text


def _kind(value: re.Match[str]) -> str:
    return value.lastgroup or "bare"


def _end_of_bare(text: str, position: int) -> int:
    rest = _REST_OF_BARE.match(text, position)
    return rest.end() if rest else position


def _is_secret(text: str, name: re.Match[str], value: re.Match[str]) -> bool:
    if _names_something_else(name.group(), value["rest"]) or text.startswith(MASK, value.end()):
        return False
    environment = name.group().isupper() and value["sep"] == "="
    if value["sep"].isspace():
        environment = _FLAG.search(text[max(0, name.start() - 32) : name.start()]) is not None
        if not environment:
            return False
    word, quoted = value[_kind(value)], not value["bare"]
    if quoted and (" " in word or is_placeholder(word)):
        return False
    if not quoted:
        word = word.rstrip(".:!?")
        if is_placeholder(word) or _CODE.match(word) or text[value.end() : value.end() + 1] in {"(", "["}:
            return False
    keyword = name.group().lower()
    if keyword.startswith("pass") or keyword == "_pwd":
        return _is_password(word, quoted=quoted, environment=environment)
    if keyword in {"_key", "key"}:
        before = text[max(0, name.start() - 12) : name.start()]
        return environment and _is_random(word, 16) and not (_NOT_SECRET_KEY.search(before) or _OTHER_ID.match(word))
    if environment:
        return len(word) >= 6 and not word.isdecimal()
    return _is_random(word, 10) and (quoted or not _TYPE.match(word))


def _names_something_else(keyword: str, rest: str) -> bool:
    """Whether a name only contains the word: `tokens`, `tokenizer`, `secretary`, `token_count`, `passwordFile`."""
    if not rest:
        return False
    if rest[0].isalpha() and rest[0].isupper() == keyword[-1].isupper():
        return rest.lower() not in {"key", "value"}
    return _OTHER_THING.match(rest) is not None


def _is_password(word: str, *, quoted: bool, environment: bool) -> bool:
    if quoted:
        return _OWN_NAME.search(word) is None or _is_random(word, 10)
    return environment or (len(word) >= 6 and _DIGIT.search(word) is not None)


def _is_random(word: str, least: int) -> bool:
    if len(word) < least or word.isdecimal() or not _DIGIT.search(word):
        return False
    return bits(word[:_JUDGED]) >= _RANDOM_BITS
