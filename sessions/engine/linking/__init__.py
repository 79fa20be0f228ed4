"""Linking: from rows of one file to its active branch, marks and branches; and from files to sessions and agents."""

from __future__ import annotations

from sessions.engine.linking.link import link
from sessions.engine.linking.linked import Branch, InlineAgent, Linked
from sessions.engine.linking.rows import LinkRow, needs_record, records_wanted
from sessions.engine.linking.state import LinkState, advance

__all__ = [
    "Branch",
    "InlineAgent",
    "LinkRow",
    "LinkState",
    "Linked",
    "advance",
    "link",
    "needs_record",
    "records_wanted",
]
