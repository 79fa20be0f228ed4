"""Sub-agents beyond who started whom: how they ended, what they wrote to each other, what of a prompt they shared."""

from __future__ import annotations

from sessions.agents.engine.mail import Mail, MailKind, Spot
from sessions.agents.engine.outcome import (
    Ending,
    Outcome,
    State,
    judge,
)
from sessions.agents.engine.sequence import Lane, Sequence, sequence
from sessions.agents.engine.sharing import Sharing, share
from sessions.agents.engine.threads import Thread, threads

__all__ = [
    "Ending",
    "Lane",
    "Mail",
    "MailKind",
    "Outcome",
    "Sequence",
    "Sharing",
    "Spot",
    "State",
    "Thread",
    "judge",
    "sequence",
    "share",
    "threads",
]
