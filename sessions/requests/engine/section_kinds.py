"""The purpose of the sections of a prompt, by their headings or first words, and when the client computes each."""

from __future__ import annotations

import re
from typing import NamedTuple

from sessions.usage.engine.billing_header import BILLING


class Computed(NamedTuple):
    when: str
    """When the client makes a section anew."""
    change: str
    """What it tells if the section is another than in the request before."""


class SectionKind(NamedTuple):
    name: str
    heading: str
    """A pattern for the whole heading."""
    start: str
    """A pattern for the first words of a section without a heading."""
    computed: Computed


_ANEW = "so the session was cleared, compacted or started again in between"
_FIXED = Computed("with the client, for all sessions of its version", "so another version or another agent sent it")
_ONCE = Computed("once, until the session is cleared or compacted", _ANEW)
_CHOSEN = Computed("once, until another is chosen", "so another was chosen")
_DELTAS = Computed("once; what comes or goes later is told in messages", _ANEW)
_SERVERS = Computed(
    "for each request, because servers connect and disconnect while a session goes on",
    "so a server came, went or says something else",
)
_BILL = Computed("for each request, because it numbers the bill; no cache depends on it", "as it may, without effect")
_KINDS = (
    SectionKind("billing header", "", re.escape(BILLING), _BILL),
    SectionKind("MCP instructions", r"mcp\b.*", r"# mcp server", _SERVERS),
    SectionKind(
        "environment", r"env(ironment)?\b.*", r"you have been invoked in|here is useful information about", _ONCE
    ),
    SectionKind(
        "memory",
        r"(auto |project )?memory\b.*|claude\.?md",
        r"codebase and user instructions|contents of \S+\.md|as you answer\b.{0,90}# claudemd",
        _ONCE,
    ),
    SectionKind(
        "git status", r"git ?status", r"gitstatus:|this is the git status|as you answer\b.{0,90}# gitstatus", _ONCE
    ),
    SectionKind("output style", r"output style\b.*", r"the output style", _CHOSEN),
    SectionKind("language", r"language\b.*", r"always respond in ", _CHOSEN),
    SectionKind("scratchpad", r"scratchpad\b.*", "", _ONCE),
    SectionKind("token budget", r"token budget\b.*", "", _ONCE),
    SectionKind("context management", r"context management|function result clearing", "", _ONCE),
    SectionKind("session guidance", r"session-specific guidance", "", _ONCE),
    SectionKind("tools on demand", "", r"the following deferred tools are now available", _DELTAS),
    SectionKind("agents", "", r"available agent types", _DELTAS),
    SectionKind("skills", "", r"the following skills are available", _DELTAS),
    SectionKind("attribution", "", r"attribution for git commits", _ONCE),
    SectionKind("date", "", r"today's date is", _ONCE),
    SectionKind("hooks", "", r"\w+(:\w+)? hook (success|additional context)", _ONCE),
    SectionKind("system rules", r"system", "", _FIXED),
    SectionKind("doing tasks", r"doing tasks", "", _FIXED),
    SectionKind("actions with care", r"executing actions.*|actions.*", r"for actions that are hard to reverse", _FIXED),
    SectionKind("using tools", r"(using (your )?)?tools.*|tool usage.*", "", _FIXED),
    SectionKind("tone", r"tone.*", "", _FIXED),
    SectionKind("output", r"(text )?output( efficiency)?|communicat.*", "", _FIXED),
    SectionKind("identity", "", r"you are ", _FIXED),
)
FIXED_NAMES = frozenset(kind.name for kind in _KINDS if kind.computed is _FIXED and kind.name != "identity")
"""Sections that the client's own prompt has, and no prompt of somebody else."""


def kind_of(heading: str, words: str) -> SectionKind | None:
    """None for a section that no rule names."""
    if heading:
        return next((kind for kind in _KINDS if kind.heading and _matches(kind.heading, heading, whole=True)), None)
    start = " ".join(words[:400].split())
    return next((kind for kind in _KINDS if kind.start and _matches(kind.start, start)), None)


def _matches(pattern: str, words: str, *, whole: bool = False) -> bool:
    match = re.fullmatch if whole else re.match
    return match(pattern, words, re.IGNORECASE) is not None
