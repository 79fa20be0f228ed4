"""Numbers in addresses, which anybody may write: digits of other scripts, thousands of them, or none."""

from __future__ import annotations


def whole_number(text: str, most: int) -> int | None:
    """The number, at most `most`; None when it is none."""
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0") or "0"
    return most if len(digits) > len(str(most)) else min(int(digits), most)
