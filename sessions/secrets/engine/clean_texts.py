"""Remembers which texts have no secrets, because most have none and pages show the same ones again. Only a
cryptographic hash of each is kept."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

SHORTEST = 64
"""Characters. A shorter text costs no more to search than to remember."""
MOST = 16_384
"""Texts of a generation; two are kept."""


class CleanTexts:
    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._newer: set[bytes] = set()
        self._older: set[bytes] = set()

    def mask(self, text: str, mask: Callable[[str], str]) -> str:
        if len(text) < SHORTEST:
            return mask(text)
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest in self._newer:
            return text
        if digest not in self._older:
            masked_text = mask(text)
            if masked_text != text:
                return masked_text
        self._remember(digest)
        return text

    def _remember(self, digest: bytes) -> None:
        if len(self._newer) >= self._most:
            self._older, self._newer = self._newer, set()
        self._newer.add(digest)
