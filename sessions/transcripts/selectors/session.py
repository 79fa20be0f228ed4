"""The head of a session's pages: the transcript, its family, and what it spent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, NamedTuple

from django.db.models import Field, Q, QuerySet
from django.http import Http404

from sessions.catalog.selectors.sessions import current_sessions
from sessions.models import Source, Transcript
from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import spell_invisible
from sessions.text.engine.words import ago
from sessions.transcripts.selectors.live import is_live
from sessions.transcripts.selectors.prepared_query import PreparedQuery, Slot
from sessions.usage.selectors import SPEND, AgentSpend, agent_spend

NEIGHBOURS = 40


class Neighbour(NamedTuple):
    """A session in the side column: only what is shown of it, so that a column that shows the same is made once."""

    public_id: str
    name: str
    last_at: int | None
    ago: str
    current: str
    """What `aria-current` says of it: "page", "true" on the pages of its sub-agents, or nothing."""


@dataclass(frozen=True, slots=True)
class SessionHead:
    transcript: Transcript
    agents: AgentSpend
    successor: Transcript | None
    predecessor: Transcript | None
    """Of a `/clear`: the session that went on in this one. Nothing in the new file says so; the old one does."""
    live: bool
    now: int
    rewritten_as: Transcript | None = None
    """Of an earlier version: what the file holds now."""

    @property
    def public_id(self) -> str:
        return self.transcript.public_id

    @property
    def title(self) -> str:
        transcript = self.transcript
        description = transcript.meta.get("description")
        name = description if isinstance(description, str) else ""
        return spell_invisible(mask(transcript.title) or mask(name)) or transcript.name or "Untitled session"

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
    def is_vanished(self) -> bool:
        return self.transcript.source.state == Source.State.VANISHED

    @property
    def is_replaced(self) -> bool:
        return self.transcript.source.state == Source.State.REPLACED

    @property
    def main(self) -> Transcript:
        """The session itself, on the pages of its sub-agents too."""
        return self.transcript.parent or self.transcript

    @property
    def neighbours(self) -> tuple[Neighbour, ...]:
        """The latest sessions of the same project. A query, so only pages with a side column ask."""
        sessions = _latest.rows(project=self.transcript.project_id)
        current = {self.main.pk: "page" if self.main == self.transcript else "true"}
        return tuple(
            Neighbour(near.public_id, near.name, near.last_at, ago(near.last_at, self.now), current.get(near.pk, ""))
            for near in (sessions if self.main in sessions else [*sessions, self.main])
        )

    @property
    def agent_type(self) -> str:
        kind = self.transcript.meta.get("agentType")
        return kind if isinstance(kind, str) else ""


def _column(name: str) -> Field[Any, Any]:
    field = Transcript._meta.get_field(name)
    assert isinstance(field, Field)
    return field


_named = PreparedQuery(
    lambda: (
        Transcript.objects.select_related("source", "project", "parent", "forked_from")
        .defer("state", "parent__state", "parent__ruler", "forked_from__state", "forked_from__ruler")
        .filter(public_id=Slot("public_id", _column("public_id")))
    )
)


def transcript_get(public_id: str) -> Transcript:
    matches = _named.rows(public_id=public_id)
    if not matches:
        raise Http404(f"No session {public_id[:80]} has been imported.")
    return matches[0]


def session_head(public_id: str, now: int) -> SessionHead:
    transcript = transcript_get(public_id)
    source = transcript.source
    transcripts = Transcript.objects.only("public_id", "title", "first_prompt", "continued_in")
    family = _family(transcript)
    agents = [relative for relative in family if relative.parent_id == transcript.pk]
    chain = [relative for relative in family if relative.parent_id is None]
    successor = next((relative for relative in chain if relative.public_id == transcript.continued_in), None)
    predecessor = next((relative for relative in chain if relative.continued_in == transcript.session_id), None)
    rewritten_as = None
    if source.state == Source.State.REPLACED:
        rewritten_as = transcripts.filter(source__path=source.path).exclude(source__state=Source.State.REPLACED).first()
    return SessionHead(
        transcript, agent_spend(agents), successor, predecessor, is_live(transcript, now), now, rewritten_as
    )


def _family(transcript: Transcript) -> list[Transcript]:
    """Its sub-agents, the session that continues it and the one that it continues, with one query."""
    if transcript.kind != Transcript.Kind.MAIN:
        return _children.rows(parent=transcript.pk)
    # An empty name matches no session.
    near = {"session": transcript.session_id, "next": transcript.continued_in or None}
    return _kin.rows(parent=transcript.pk, **near)


def _with_spend(condition: Q) -> QuerySet[Transcript]:
    names = ("public_id", "title", "first_prompt", "continued_in", "parent")
    return Transcript.objects.filter(condition).only(*names, *SPEND)


def _is_child() -> Q:
    return Q(parent=Slot("parent", _column("id")))


_children = PreparedQuery(lambda: _with_spend(_is_child()))
_kin = PreparedQuery(
    lambda: _with_spend(
        _is_child()
        | Q(continued_in=Slot("session", _column("continued_in")), kind=Transcript.Kind.MAIN)
        | Q(public_id=Slot("next", _column("public_id")))
    )
)
_latest = PreparedQuery(
    lambda: (
        current_sessions()
        .filter(project=Slot("project", _column("id")))
        .order_by("-last_at", "-pk")
        .only("public_id", "title", "first_prompt", "last_at")[:NEIGHBOURS]
    )
)
