"""What a session refers to that lies in files of its own: the transcripts of its sub-agents, and spilled output.

A fork does not copy them: what it repeats of its origin is found beside the origin."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from django.db.models import QuerySet

from sessions.models import Source, Transcript
from sessions.timeline.engine.cards import Card
from sessions.timeline.engine.cards.absent import agents_named, files_named, without_absent


def agent_transcript(transcript: Transcript, agent: str) -> Transcript | None:
    found = {one.parent_id: one for one in _agents(transcript, [agent])}
    return next((found[owner] for owner in _owners(transcript) if owner in found), None)


def spilled_source(transcript: Transcript, name: str) -> Source | None:
    found = {source.owner_id: source for source in _spilled(transcript) if PurePath(source.path).name == name}
    return next((found[owner] for owner in _owners(transcript) if owner in found), None)


def with_what_is_here(transcript: Transcript, cards: list[Card]) -> list[Card]:
    """The cards, without links to files that were never imported. Asks only when there are such links."""
    agents, files = agents_named(cards), files_named(cards)
    if not agents and not files:
        return cards
    here = {one.agent_id for one in _agents(transcript, agents)} if agents else set()
    names = {PurePath(source.path).name for source in _spilled(transcript)} if files else set()
    return without_absent(cards, agents=here, files=names)


def _agents(transcript: Transcript, agents: Iterable[str]) -> QuerySet[Transcript]:
    found = Transcript.objects.filter(parent__in=_owners(transcript), agent_id__in=list(agents))
    return found.exclude(source__state=Source.State.REPLACED).only("public_id", "agent_id", "parent_id")


def _spilled(transcript: Transcript) -> QuerySet[Source]:
    found = Source.objects.filter(owner__in=_owners(transcript), kind=Source.Kind.RESULT)
    return found.exclude(state=Source.State.REPLACED)


def _owners(transcript: Transcript) -> list[int]:
    """The session itself, then the one that it began as a copy of."""
    main = transcript.parent or transcript
    return [main.pk, *([main.forked_from_id] if main.forked_from_id else [])]
