"""Each kind in a few words, for those who choose: what goes, what is lost, and whether somebody writes a summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compaction.kinds.engine.kind import Kind
from compaction.kinds.engine.settings import Mode


@dataclass(frozen=True, slots=True)
class About:
    title: str
    goes: str
    lost: str
    summarises: bool = False
    """A summary is written, by a model or mechanically."""
    instructed: bool = False
    """That summary can be told what to observe."""
    hooked: bool = False
    """Hooks run around it."""


ABOUT: Mapping[Kind, About] = {
    Kind.AUTO: About(
        "What would happen now",
        "What the agent would take away by itself before its next request, and why; or why nothing.",
        "Whatever the mechanism that it chooses loses.",
        summarises=True,
        instructed=True,
        hooked=True,
    ),
    Kind.BUDGET: About(
        "Result budget",
        "Texts of results that are too large, into files.",
        "Nothing: a preview stays, and the path.",
    ),
    Kind.SNIP: About("Snip", "Whole turns that you pick.", "Those turns."),
    Kind.MICROCOMPACT: About(
        "Microcompact",
        "Old results of tools that can be run again.",
        "Their text; the agent can look again.",
    ),
    Kind.COLLAPSE: About(
        "Collapse",
        "Spans of early history, the least needed first.",
        "Their detail; a short summary of each stays.",
        summarises=True,
    ),
    Kind.SESSION_MEMORY: About(
        "Session notes",
        "Everything but the latest messages, for the notes that the agent took.",
        "What the notes do not say.",
        hooked=True,
    ),
    Kind.FULL: About(
        "Full",
        "Everything, for one summary.",
        "What the summary does not say.",
        summarises=True,
        instructed=True,
        hooked=True,
    ),
    Kind.PARTIAL_FROM: About(
        "From a message on",
        "Everything from a message on, for a summary. What came before keeps its place and its cache.",
        "Of that part, what the summary does not say.",
        summarises=True,
        instructed=True,
        hooked=True,
    ),
    Kind.PARTIAL_UP_TO: About(
        "Up to a message",
        "Everything up to a message, for a summary. What follows stays word for word, but is cached anew.",
        "Of that part, what the summary does not say.",
        summarises=True,
        instructed=True,
        hooked=True,
    ),
}

MODES: Mapping[Mode, str] = {
    Mode.TIME: "The client clears them, as it does by itself after a pause of an hour.",
    Mode.CACHED: "They are deleted from the server's cache; the messages stay as they are, and so does an export.",
    Mode.API: "A forecast of what the API's own clear_tool_uses would do.",
}
