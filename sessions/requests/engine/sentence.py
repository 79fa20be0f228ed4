"""A sentence about what the cache did for a request."""

from __future__ import annotations

from sessions.text.engine.words import tokens
from sessions.usage.engine.usage import Usage


def cache_sentence(usage: Usage | None) -> str:
    if usage is None or not usage.context:
        return "The answer holds no count of its prompt, so what the cache did for it cannot be told."
    total, read = usage.context, usage.cache_read
    written = usage.cache_write_5m + usage.cache_write_1h
    if not read and not written:
        return f"The cache had no part in it: all {tokens(total)} tokens of the prompt were fresh."
    if not read:
        first = f"Nothing of its {tokens(total)} tokens came from the cache"
    else:
        first = f"The cache had {tokens(read)} of its {tokens(total)} tokens ({_percent(read, total)})"
    return f"{first}; {_rest(usage, written)}."


def _rest(usage: Usage, written: int) -> str:
    parts = []
    if written:
        parts.append(f"{tokens(written)} were written to it, {_life(usage)},")
    parts.append(f"{tokens(usage.input)} {'was' if usage.input == 1 else 'were'} fresh")
    return " and ".join(parts)


def _life(usage: Usage) -> str:
    if usage.cache_write_5m and usage.cache_write_1h:
        return f"{tokens(usage.cache_write_1h)} of them for an hour and the rest for five minutes"
    return "for an hour" if usage.cache_write_1h else "for five minutes"


def _percent(part: int, whole: int) -> str:
    share = 100 * part / whole
    return f"{share:.1f}%" if 99 <= share < 100 or share < 1 else f"{share:.0f}%"
