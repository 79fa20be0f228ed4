"""What became of a message from one context to the other."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    KEPT = "kept"
    """Word for word."""
    CHANGED = "changed"
    """It is still there, in other words or with fewer blocks."""
    SUMMARISED = "summarised"
    """It went into a summary."""
    COLLAPSED = "collapsed"
    """It went into the placeholder of a span."""
    SNIPPED = "snipped"
    CLEARED = "cleared"
    """The text of its result is gone."""
    PERSISTED = "persisted"
    """The text of its result went to disk; a preview stays."""
    DROPPED = "dropped"
    """It is gone for another reason, or for one that nobody recorded."""
    ADDED = "added"


SYMBOLS = {
    Status.KEPT: "=",
    Status.CHANGED: "±",
    Status.SUMMARISED: "▨",
    Status.COLLAPSED: "≣",
    Status.SNIPPED: "✂",
    Status.CLEARED: "☐",
    Status.PERSISTED: "⛁",
    Status.DROPPED: "−",
    Status.ADDED: "+",
}
LABELS = {
    Status.KEPT: "kept",
    Status.CHANGED: "changed",
    Status.SUMMARISED: "summarised",
    Status.COLLAPSED: "collapsed",
    Status.SNIPPED: "snipped",
    Status.CLEARED: "cleared",
    Status.PERSISTED: "on disk, preview only",
    Status.DROPPED: "dropped",
    Status.ADDED: "added",
}
