"""What the pipeline needs from outside. Each may be missing; mechanisms that need it then decline and say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from compaction.mechanisms.engine.attachments import ReadFile, Records, Surroundings, no_records
from compaction.mechanisms.engine.attachments.surroundings import read_nothing
from compaction.mechanisms.engine.collapse import Announce
from compaction.mechanisms.engine.collapse import Summarise as SummariseSpan
from compaction.mechanisms.engine.compaction.boundary import Trigger
from compaction.mechanisms.engine.compaction.occasion import Hooks, NoHooks, Occasion
from compaction.mechanisms.engine.full.request import Summarise
from compaction.mechanisms.engine.session_memory import ReadNotes
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Effects:
    summarise: Summarise | None = None
    summarise_span: SummariseSpan | None = None
    """For collapse: summarises a few messages."""
    announce_span: Announce | None = None
    read_notes: ReadNotes | None = None
    read_file: ReadFile = read_nothing
    hooks: Hooks = field(default_factory=NoHooks)
    surroundings: Surroundings = field(default_factory=Surroundings)
    records: Records = no_records
    pinned: frozenset[str] = frozenset()
    """Ids of messages that stay word for word."""
    pinned_elsewhere: Sequence[Message] = ()
    """Pinned messages that have left the context already."""
    client: str = ""
    """The version of the client that wrote the session, as far as that is known."""
    betas: tuple[str, ...] = ()
    """Beta features that the session asks for, as far as they are logged."""
    max_output: int = 0
    """Tokens of the longest answer that it asks for; 0 if that is not logged."""
    transcript_path: str = ""

    def occasion(
        self, trigger: Trigger, now: float, counter: TokenCounter, model: str, whole: Sequence[Message] = ()
    ) -> Occasion:
        return Occasion(
            trigger,
            now,
            self.transcript_path,
            self.surroundings,
            self.read_file,
            self.records,
            self.pinned,
            self.pinned_elsewhere,
            self.client,
            self.hooks,
            counter,
            model,
            whole,
        )
