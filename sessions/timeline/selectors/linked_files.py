"""Files that a session refers to: transcripts of its sub-agents, and spilled output.

The client does not copy them for a fork, so they are also looked for beside the origin of a fork."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from django.db.models import QuerySet

from sessions.models import Source, Transcript
from sessions.timeline.engine.cards import Card
from sessions.timeline.engine.cards.adjustments.missing_links import (
    linked_agent_ids,
    linked_file_names,
    remove_missing_links,
)


def agent_transcript(transcript: Transcript, agent: str) -> Transcript | None:
    by_owner = {
        agent_transcript.parent_id: agent_transcript for agent_transcript in _agent_transcripts(transcript, [agent])
    }
    return next((by_owner[owner] for owner in _owners(transcript) if owner in by_owner), None)


def spilled_source(transcript: Transcript, name: str) -> Source | None:
    by_owner = {
        source.owner_id: source for source in _spilled_sources(transcript) if PurePath(source.path).name == name
    }
    return next((by_owner[owner] for owner in _owners(transcript) if owner in by_owner), None)


def remove_dead_links(transcript: Transcript, cards: list[Card]) -> list[Card]:
    """The cards without links to files that were never imported. Queries only if there are such links."""
    agents, files = linked_agent_ids(cards), linked_file_names(cards)
    if not agents and not files:
        return cards
    agent_ids = {agent.agent_id for agent in _agent_transcripts(transcript, agents)} if agents else set()
    names = {PurePath(source.path).name for source in _spilled_sources(transcript)} if files else set()
    return remove_missing_links(cards, agents=agent_ids, files=names)


def _agent_transcripts(transcript: Transcript, agents: Iterable[str]) -> QuerySet[Transcript]:
    transcripts = Transcript.objects.filter(parent__in=_owners(transcript), agent_id__in=list(agents))
    return transcripts.exclude(source__state=Source.State.REPLACED).only("public_id", "agent_id", "parent_id")


def _spilled_sources(transcript: Transcript) -> QuerySet[Source]:
    sources = Source.objects.filter(owner__in=_owners(transcript), kind=Source.Kind.RESULT)
    return sources.exclude(state=Source.State.REPLACED)


def _owners(transcript: Transcript) -> list[int]:
    """The session itself, then the one that it is a fork of."""
    main = transcript.parent or transcript
    return [main.pk, *([main.forked_from_id] if main.forked_from_id else [])]
