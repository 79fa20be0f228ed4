"""What a record is, as bits: the few facts that lists, links and counts need of an entry."""

from __future__ import annotations

from enum import IntFlag


class Flag(IntFlag):
    SHOWN = 1 << 0
    """Has a place of its own in the timeline (tool results live in their call's card)."""
    TYPED = 1 << 1
    """Words of a person: a typed prompt, or one that was queued while the model worked."""
    META = 1 << 2
    SIDECHAIN = 1 << 3
    ERROR = 1 << 4
    """A failed tool call, or an API error."""
    CALL = 1 << 5
    RESULT = 1 << 6
    IMAGE = 1 << 7
    SUMMARY = 1 << 8
    """The summary that a compaction left in place of the conversation."""
    BOUNDARY = 1 << 9
    """A compaction happened here."""
    PERSISTED = 1 << 10
    """The model got a preview; the whole output lies in a file."""
    CLEARED = 1 << 11
    RECOVERED = 1 << 12
    """Read out of a broken line."""
    UNKNOWN = 1 << 13
    """Holds a type, block or key that we do not know."""
    COPY = 1 << 14
    """The same record stands in an earlier file, which owns it."""
    DUPLICATE = 1 << 15
    """The same uuid stands earlier in this file."""
    TEXT = 1 << 16
    """Has conversation text, so it is in the search index."""
    THINKING = 1 << 17
    ROOT = 1 << 18
    """A chain record without a parent."""
    COMMAND = 1 << 19
    """A slash command, its output, or a shell line typed at the prompt."""


ASIDE = Flag.META | Flag.SIDECHAIN | Flag.COMMAND | Flag.SUMMARY | Flag.DUPLICATE
"""What is typed and one of these is no message of a person to the main agent."""


def is_message(flags: int) -> bool:
    """Did a person say this to the main agent?"""
    return bool(flags & Flag.TYPED) and not flags & ASIDE
