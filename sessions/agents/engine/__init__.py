"""How sub-agents ended, what they wrote to each other, and how much of a prompt they shared."""

from __future__ import annotations

from sessions.agents.engine.mail import Mail, MailKind, RecordPosition
from sessions.agents.engine.outcome import AgentState, Ending, Outcome, judge_outcome
from sessions.agents.engine.sequence_diagram import Lane, SequenceDiagram, draw_sequence
from sessions.agents.engine.shared_prefix import SharedPrefix, compare_prompts
from sessions.agents.engine.threads import Thread, find_threads

__all__ = [
    "AgentState",
    "Ending",
    "Lane",
    "Mail",
    "MailKind",
    "Outcome",
    "RecordPosition",
    "SequenceDiagram",
    "SharedPrefix",
    "Thread",
    "compare_prompts",
    "draw_sequence",
    "find_threads",
    "judge_outcome",
]
