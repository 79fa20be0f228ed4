"""Recognises secrets by their shape: keys with a vendor's prefix, JWTs, private keys, logins in addresses."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode

from sessions.secrets.engine.marker import MASK, is_placeholder
from sessions.secrets.engine.vendors import HEAD, TOKEN

_JWT = re.compile(r"eyJ(?<![A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*")
_SLACK_HOOK = re.compile(r"(hooks\.slack\.com/(?:services|workflows|triggers)/)[A-Za-z0-9/_-]{20,}")
_BEARER = re.compile(r"((?:Bearer|bearer|BEARER)\s{1,3})(?=[A-Za-z._~+/=-]{0,64}[0-9])[A-Za-z0-9._~+/=-]{16,}")
_BASIC = re.compile(r"((?:Basic|basic|BASIC)\s{1,3})([A-Za-z0-9+/]{8,}={0,2})")
_IN_ADDRESS = re.compile(r"(://[^\s:/@\"'<>\\]{0,256}:)([^\s/@\"'<>\\]{1,512})(?=@)")
_FOR_CURL = re.compile(
    r"(-(?:u(?<=\s-u)|-user)[ =][\"']?[^\s:\"'/]{1,64}:)(?!\d{1,9}(?:[\s\"']|$))([^\s\"':/]{3,256})(?![^\s\"'])"
)

_KEY_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/=\s\\:,-]{0,4000}")
_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{24}")
_LONGEST_KEY = 20_000


def mask_tokens(text: str) -> str:
    text = TOKEN.sub(_keep_head, text)
    text = _JWT.sub(f"eyJ{MASK}", text) if ".eyJ" in text else text
    return _SLACK_HOOK.sub(rf"\1{MASK}", text) if "hooks.slack.com" in text else text


def mask_logins(text: str) -> str:
    lower = text.lower()  # most texts contain neither word, and a pattern takes ten times as long
    text = _BEARER.sub(rf"\1{MASK}", text) if "bearer" in lower else text
    text = _BASIC.sub(_mask_basic, text) if "basic" in lower else text
    text = _IN_ADDRESS.sub(_mask_password, text)
    return _FOR_CURL.sub(_mask_password, text)


def mask_private_keys(text: str) -> str:
    """Masks whole blocks, and a block whose end was cut off. Code that only mentions the markers stays."""
    parts: list[str] = []
    position = 0
    while begin := _KEY_BEGIN.search(text, position):
        end = begin.end() if text.startswith(MASK, begin.end()) else _end_of_key(text, begin.end())
        parts.append(text[position : begin.end()])
        if _KEY_LINE.search(text, begin.end(), end):
            parts.append(MASK)
            position = end
        else:
            position = begin.end()
    return "".join((*parts, text[position:]))


def _end_of_key(text: str, start: int) -> int:
    dashes = text.find("-----", start)
    if 0 <= dashes <= start + _LONGEST_KEY and (end := _KEY_END.match(text, dashes)):
        return end.end()
    body = _KEY_BODY.match(text, start, dashes if dashes >= 0 else len(text))
    return body.end() if body else start


def _keep_head(token: re.Match[str]) -> str:
    head = HEAD.match(token.group())
    return f"{head.group() if head else ''}{MASK}"


def _mask_basic(login: re.Match[str]) -> str:
    """Masks only what decodes to name:password, because "basic" is also an ordinary word."""
    try:
        name, colon, _ = b64decode(login.group(2), validate=True).partition(b":")
    except binascii.Error:
        return login.group()
    return f"{login.group(1)}{MASK}" if colon and name.isascii() else login.group()


def _mask_password(login: re.Match[str]) -> str:
    return login.group() if is_placeholder(login.group(2)) else f"{login.group(1)}{MASK}"
