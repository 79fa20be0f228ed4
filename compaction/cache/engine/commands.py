"""What a person set between two requests, where the requests themselves do not say it: by the commands in the
transcript and what they printed."""

from __future__ import annotations

import re
from typing import NamedTuple

from sessions.context.engine import Context
from sessions.linking.engine.raw_fields import text

_EFFORT = re.compile(r"<local-command-stdout>\s*(?:\x1b\[[\d;]*m)*Set effort level to (\w+)")


class Setting(NamedTuple):
    value: str
    position: int
    """Of the record that says so."""


def effort_set(context: Context, after: int) -> Setting | None:
    """The last word on the effort among what stands after this position."""
    found = None
    for message in context.messages:
        if message.position is None or message.position <= after:
            continue
        for block in message.content:
            match = _EFFORT.search(text(block.get("text")))
            found = Setting(match[1], message.position) if match else found
    return found
