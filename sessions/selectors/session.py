"""What the head of a session's pages says: the transcript, its family, and what it spent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from django.http import Http404

from sessions.models import Source, Transcript
from sessions.selectors.catalog import LIVE_MS
from sessions.selectors.spend import AgentSpend, agent_spend


@dataclass(frozen=True, slots=True)
class Head:
    transcript: Transcript
    agents: AgentSpend
    successor: Transcript | None
    live: bool

    @property
    def public_id(self) -> str:
        return self.transcript.public_id

    @property
    def title(self) -> str:
        transcript = self.transcript
        said = transcript.meta.get("description")
        named = said if isinstance(said, str) else ""
        return transcript.title or named or transcript.first_prompt or "Untitled session"

    @property
    def duration(self) -> int | None:
        first, last = self.transcript.first_at, self.transcript.last_at
        return last - first if first is not None and last is not None else None

    @property
    def models(self) -> list[str]:
        return self.transcript.model_names.split()

    @property
    def file(self) -> str:
        return PurePath(self.transcript.source.path).name

    @property
    def vanished(self) -> bool:
        return self.transcript.source.state == Source.State.VANISHED

    @property
    def replaced(self) -> bool:
        return self.transcript.source.state == Source.State.REPLACED

    @property
    def agent_type(self) -> str:
        kind = self.transcript.meta.get("agentType")
        return kind if isinstance(kind, str) else ""


def transcript_get(public_id: str) -> Transcript:
    transcript = (
        Transcript.objects.select_related("source", "project", "parent", "forked_from")
        .defer("state", "parent__state", "parent__ruler", "forked_from__state", "forked_from__ruler")
        .filter(public_id=public_id)
        .first()
    )
    if transcript is None:
        raise Http404(f"No session {public_id} has been imported.")
    return transcript


def session_head(public_id: str, now: int) -> Head:
    transcript = transcript_get(public_id)
    successor = None
    if transcript.continued_in:
        successor = Transcript.objects.filter(public_id=transcript.continued_in).only("public_id", "title").first()
    live = transcript.source.state == Source.State.PRESENT and now - transcript.source.mtime_ns // 1_000_000 < LIVE_MS
    return Head(transcript, agent_spend(transcript), successor, live)
