"""Sub-agents beyond who started whom: how they ended, what they wrote to each other, what of a prompt they shared."""

from __future__ import annotations

from sessions.engine.agents.mail import Mail, MailKind, Spot
from sessions.engine.agents.outcome import Ending, Outcome, State, judge
from sessions.engine.agents.sequence import Lane, Sequence, sequence
from sessions.engine.agents.sharing import Sharing, share
from sessions.engine.agents.threads import Thread, threads

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
