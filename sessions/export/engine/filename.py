"""The name of an exported file: the title as far as all file systems allow it, and the id of the session."""

from __future__ import annotations

import re
import unicodedata

_OTHER = re.compile(r"[^\w]+")
_TITLE_BYTES = 80
_ID_BYTES = 60


def make_filename(title: str, public_id: str, extension: str) -> str:
    return f"{_part(title, _TITLE_BYTES) or 'session'}-{_part(public_id, _ID_BYTES) or 'unnamed'}.{extension}"


def _part(text: str, most: int) -> str:
    words = _OTHER.sub("-", unicodedata.normalize("NFKC", text)).encode("utf-8", "ignore")[:most]
    return words.decode("utf-8", "ignore").strip("-_")
