"""Recognises secrets by the text around them: cookies, logins of docker, netrc and sshpass, tokens of bots, hooks and
addresses. Each pattern is tried only on texts that contain its keyword."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Callable

from sessions.secrets.engine.marker import MASK, is_placeholder

_Q = r"[\"'\\]{0,3}"
"""What may close a name or open a value: a quote, or one that is quoted itself."""
_GAP = r"(?:\s|\\[nt]){1,8}"
_PASSED = r"[^\s\"'\-:][^\s\"']{3,200}"

# Every pattern begins with a plain word and only then looks at what precedes it, which is ten times as fast.
_COOKIE = rf"{_Q}\s?[:=,]\s{{0,2}}\[?\s{{0,2}}{_Q})([^\s\"'\\][^\r\n\"'\\]{{3,4000}})"
_COOKIE_FLAG = re.compile(r"(-(?:b(?<=\s-b)|-cookie)[ =][\"']?)([^\s\"'\\=;]{1,80}=[^\r\n\"'\\]{4,4000})")
_COOKIE_PAIR = re.compile(r"([^\s=;,]{1,128}=)([^\s;,\"'\\]{6,4000})")
_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "priority", "version", "theme", "lang"})
_AUTH = re.compile(rf"(auth(?<![A-Za-z0-9-]auth){_Q}\s{{0,2}}[:=]\s{{0,3}}{_Q})([A-Za-z0-9+/]{{8,2000}}={{0,2}})")
_IDENTITY = re.compile(rf"(identitytoken{_Q}\s{{0,2}}[:=]\s{{0,3}}{_Q})([^\s\"'\\,}}]{{12,4000}})")
_NETRC = re.compile(rf"(login(?<!\wlogin){_GAP}[^\s\\\"']{{1,200}}{_GAP}password{_GAP})([^\s\\\"']{{3,400}})")
_SSHPASS = re.compile(
    r"(sshpass\s{1,4}(?:-[a-oq-z]\s{1,4}){0,3}-p\s{0,4})(\"[^\"\r\n]{1,200}|'[^'\r\n]{1,200}|[^\s\"'-]\S{0,200})"
)
_OPENSSL = re.compile(rf"(pass:(?<!\wpass:))({_PASSED})")
_REDIS = re.compile(rf"(redis-cli\s[^\r\n|;]{{0,200}}?\s-a\s{{1,3}})({_PASSED})")
_DOCKER = re.compile(rf"(docker login\s[^\r\n|;]{{0,200}}?(?:-p|--password)[ =])({_PASSED})")
_MYSQL = re.compile(rf"(mysql(?:dump|admin)?\s[^\r\n|;]{{0,200}}?\s-p)({_PASSED})")
_DISCORD_MIDDLE = re.compile(r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}")
_DISCORD = re.compile(
    r"(?<![\w.-])([MNO][A-Za-z0-9_-]{4})[A-Za-z0-9_-]{18,24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![\w-])"
)
_HOOKS = (
    re.compile(r"(discord(?:app)?\.com/api/webhooks/\d{5,25}/)[\w-]{8,400}"),
    re.compile(r"(\.webhook\.office\.com/webhookb2/)[\w@/.-]{8,400}"),
    re.compile(r"(hooks\.zapier\.com/hooks/catch/\d{1,12}/)[\w/-]{4,400}"),
    re.compile(r"(api\.telegram\.org/bot\d{6,12}:)[\w-]{8,400}"),
)
_TELEGRAM_MIDDLE = re.compile(r":AA[A-Za-z0-9_-]{33}(?![\w-])")
_TELEGRAM = re.compile(r"(?<![\w:])(\d{8,10}:)AA[A-Za-z0-9_-]{33}(?![\w-])")
_TERRAFORM_MIDDLE = re.compile(r"\.atlasv1\.")
_TERRAFORM = re.compile(r"(?<!\w)[A-Za-z0-9]{14}(\.atlasv1\.)[A-Za-z0-9_=-]{60,70}")
_MAILCHIMP_END = re.compile(r"-us(?<=[a-f0-9]{8}-us)\d{1,2}(?!\w)")
_MAILCHIMP = re.compile(r"(?<!\w)[a-f0-9]{32}(-us\d{1,2})(?!\w)")
_HEX_KEY = re.compile(r"(0x(?<!\w0x))[0-9a-fA-F]{64}(?![0-9a-fA-F])")
_OF_A_KEY = re.compile(r"key|priv|secret|signer|wallet|accounts|deployer|mnemonic", re.IGNORECASE)
_OF_A_HASH = re.compile(r"hash|tx|block|root|topic|digest|keccak|bytes32|public|storage|slot|salt", re.IGNORECASE)
_QUERY = re.compile(
    r"([?&][A-Za-z0-9_.%-]{0,40}?(?i:token|key|secret|signature|sig|passw(?:or)?d|pwd|auth|credential|jwt|session)"
    r"(?:id|ID|Id)?=)([^\s&;\"'`<>\\#)\]]{6,4000})"
)

Replacement = Callable[[re.Match[str]], str]


def mask_forms(text: str) -> str:
    for sign, pattern, replacing in _FORMS:
        if sign in text if isinstance(sign, str) else sign.search(text):
            text = pattern.sub(replacing, text)
    return text


def _mask_value(match: re.Match[str]) -> str:
    return match.group() if _is_open(match.group(2)) else f"{match.group(1)}{MASK}"


def _mask_quoted(match: re.Match[str]) -> str:
    value = match.group(2)
    quote = value[0] if value[0] in "\"'" else ""
    return match.group() if _is_open(value.lstrip("\"'")) else f"{match.group(1)}{quote}{MASK}"


def _is_open(value: str) -> bool:
    """Whether there is nothing to mask, or it is masked already."""
    return is_placeholder(value) or MASK in value


def _mask_cookies(match: re.Match[str]) -> str:
    return match.group(1) + _COOKIE_PAIR.sub(_mask_cookie, match.group(2))


def _mask_cookie(match: re.Match[str]) -> str:
    name = match.group(1).rstrip("=").strip().lower()
    return match.group() if name in _ATTRIBUTES else _mask_value(match)


def _mask_login(match: re.Match[str]) -> str:
    try:
        name, colon, rest = b64decode(match.group(2), validate=True).partition(b":")
    except binascii.Error:
        return match.group()
    return f"{match.group(1)}{MASK}" if colon and rest and name.isascii() else match.group()


def _mask_hex_key(match: re.Match[str]) -> str:
    """Such a key is as long as a hash, so the words before it decide which it is."""
    before = match.string[max(0, match.start() - 60) : match.start()]
    keys, hashes = list(_OF_A_KEY.finditer(before)), list(_OF_A_HASH.finditer(before))
    if not keys or (hashes and hashes[-1].end() > keys[-1].end()):
        return match.group()
    return f"{match.group(1)}{MASK}"


def _mask_after(match: re.Match[str]) -> str:
    return match.group() if MASK in match.group() else f"{match.group(1)}{MASK}"


def _mask_before(match: re.Match[str]) -> str:
    return f"{MASK}{match.group(1)}"


_FORMS: tuple[tuple[str | re.Pattern[str], re.Pattern[str], Replacement], ...] = (
    ("ookie", re.compile(f"(ookie{_COOKIE}"), _mask_cookies),
    ("OOKIE", re.compile(f"(OOKIE{_COOKIE}"), _mask_cookies),
    ("curl", _COOKIE_FLAG, _mask_cookies),
    ("auth", _AUTH, _mask_login),
    ("identitytoken", _IDENTITY, _mask_value),
    ("login", _NETRC, _mask_value),
    ("sshpass", _SSHPASS, _mask_quoted),
    ("pass:", _OPENSSL, _mask_value),
    ("redis-cli", _REDIS, _mask_value),
    ("docker login", _DOCKER, _mask_value),
    ("mysql", _MYSQL, _mask_value),
    (_DISCORD_MIDDLE, _DISCORD, _mask_after),
    *(("hook" if "hook" in hook.pattern else "telegram", hook, _mask_after) for hook in _HOOKS),
    (_TELEGRAM_MIDDLE, _TELEGRAM, _mask_after),
    (_TERRAFORM_MIDDLE, _TERRAFORM, _mask_before),
    (_MAILCHIMP_END, _MAILCHIMP, _mask_before),
    ("0x", _HEX_KEY, _mask_hex_key),
    ("=", _QUERY, _mask_value),
)
