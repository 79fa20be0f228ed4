"""Secrets that are known by their own shape: keys with a vendor's prefix, JWTs, private keys, logins in addresses."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode

from sessions.engine.secrets.marker import MASK, is_placeholder

_VENDORS = {
    "sk-ant-": "[A-Za-z0-9_-]{10,}",
    "sk-proj-": "[A-Za-z0-9_-]{20,}",
    "sk-svcacct-": "[A-Za-z0-9_-]{20,}",
    "sk-admin-": "[A-Za-z0-9_-]{20,}",
    "sk-or-v1-": "[A-Za-z0-9]{20,}",
    "sk-": "[A-Za-z0-9]{32,}",
    "xai-": "[A-Za-z0-9]{40,}",
    "gsk_": "[A-Za-z0-9]{40,}",
    "hf_": "[A-Za-z0-9]{30,}",
    "gh[pousr]_": "[A-Za-z0-9]{30,}",
    "github_pat_": "[A-Za-z0-9_]{40,}",
    "glpat-": "[A-Za-z0-9_-]{16,}",
    "gldt-": "[A-Za-z0-9_-]{16,}",
    "glrt-": "[A-Za-z0-9_-]{16,}",
    "glptt-": "[A-Za-z0-9_-]{16,}",
    "xox[abeoprs]-": "[A-Za-z0-9-]{10,}",
    "xapp-": "[A-Za-z0-9-]{20,}",
    "AKIA": "[A-Z0-9]{16}(?![A-Za-z0-9])",
    "ASIA": "[A-Z0-9]{16}(?![A-Za-z0-9])",
    "AIza": "[A-Za-z0-9_-]{35,}",
    r"ya29\.": "[A-Za-z0-9_-]{20,}",
    "GOCSPX-": "[A-Za-z0-9_-]{20,}",
    "sk_live_": "[A-Za-z0-9]{16,}",
    "sk_test_": "[A-Za-z0-9]{16,}",
    "rk_live_": "[A-Za-z0-9]{16,}",
    "rk_test_": "[A-Za-z0-9]{16,}",
    "whsec_": "[A-Za-z0-9+/]{20,}",
    "npm_": "[A-Za-z0-9]{36,}",
    "pypi-AgE": "[A-Za-z0-9_-]{30,}",
    r"SG\.": r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    "dop_v1_": "[a-f0-9]{40,}",
    "dckr_pat_": "[A-Za-z0-9_-]{20,}",
    "shpat_": "[a-fA-F0-9]{32,}",
}


def _by_first_letter(vendors: dict[str, str]) -> str:
    """One branch for each first letter, which is twice as fast as one for each vendor."""
    branches: dict[str, list[str]] = {}
    for head, tail in vendors.items():
        branches.setdefault(head[0], []).append(f"{head[1:]}(?<![A-Za-z0-9_]{head}){tail}")
    return "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in branches.items())


_TOKEN = re.compile(_by_first_letter(_VENDORS))
_HEAD = re.compile("|".join(_VENDORS))
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
    text = _TOKEN.sub(_keep_head, text)
    text = _JWT.sub(f"eyJ{MASK}", text)
    return _SLACK_HOOK.sub(rf"\1{MASK}", text)


def mask_logins(text: str) -> str:
    lower = text.lower()  # most texts name neither, and a plain word is found ten times as fast as a pattern
    text = _BEARER.sub(rf"\1{MASK}", text) if "bearer" in lower else text
    text = _BASIC.sub(_mask_basic, text) if "basic" in lower else text
    text = _IN_ADDRESS.sub(_mask_password, text)
    return _FOR_CURL.sub(_mask_password, text)


def mask_private_keys(text: str) -> str:
    """Whole blocks, and the beginning of one whose end was cut off. Code that only names the markers stays."""
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
    head = _HEAD.match(token.group())
    return f"{head.group() if head else ''}{MASK}"


def _mask_basic(login: re.Match[str]) -> str:
    """Only what decodes to name:password, because "basic" is also a word before other words."""
    try:
        name, colon, _ = b64decode(login.group(2), validate=True).partition(b":")
    except binascii.Error:
        return login.group()
    return f"{login.group(1)}{MASK}" if colon and name.isascii() else login.group()


def _mask_password(login: re.Match[str]) -> str:
    return login.group() if is_placeholder(login.group(2)) else f"{login.group(1)}{MASK}"
