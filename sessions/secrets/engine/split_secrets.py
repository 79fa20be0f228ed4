"""Recognises keys that are split by invisible characters, such as terminal colours and characters without a width."""

from __future__ import annotations

import re
from collections.abc import Callable

_PARTING = re.compile(
    r"(?:\x1b|\u241b|\x9b|\\u001[bB]|\\x1[bB]|\\033|\\e(?=\[))"
    r"(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)|[@-Z\\^_])?"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
    r"|\\u(?:00[aA][dD]|200[b-fB-F]|202[a-eA-E]|206[0-9a-fA-F]|[fF][eE][fF][fF])"
)


def mask_split(text: str, mask: Callable[[str], str], mark: str) -> str:
    """In lines with a secret, the characters that split it are removed. All other lines stay as they are."""
    if _PARTING.search(text):
        if "PRIVATE KEY" in text:  # a block of several lines, which no single line shows
            text = _PARTING.sub("", text)
        else:
            text = "\n".join(_join_secret(line, mask, mark) for line in text.split("\n"))
    return mask(text)


def _join_secret(line: str, mask: Callable[[str], str], mark: str) -> str:
    joined = _PARTING.sub("", line)
    return joined if joined != line and mark in mask(joined) else line
