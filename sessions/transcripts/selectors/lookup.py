"""Finds the transcript that a person means: by id, by the beginning of one, or by path."""

from __future__ import annotations

import os

from django.db.models import Q

from sessions.models import Source, Transcript
from sessions.transcripts.engine.paths import encode_path

LISTED = 5


class LookupFailedError(ValueError):
    """Nothing, or more than one thing, answers to the name."""


def is_path(name: str) -> bool:
    return os.sep in name or name.endswith(".jsonl")


def find_transcript(name: str) -> Transcript:
    """A session id, a unique prefix of one, or a path. Sub-agents answer to `agent-<id>` and to their bare id."""
    name = encode_path(name)
    known = Transcript.objects.select_related("source", "project")
    current = known.exclude(source__state=Source.State.REPLACED)
    exact = known.filter(public_id=name).first()
    if exact is not None:
        return exact
    if is_path(name):
        path = os.path.abspath(os.path.expanduser(name))
        found = current.filter(source__path=path).first()
        if found is None:
            raise LookupFailedError(f"No transcript is known at {path}.")
        return found
    if not name:
        raise LookupFailedError("Which session? Give an id, the beginning of one, or a path.")
    begun = current.filter(Q(public_id__startswith=name) | Q(agent_id=name))
    matches = list(begun.order_by("kind", "public_id")[:LISTED])
    main = [one for one in matches if one.kind == Transcript.Kind.MAIN] or matches
    if not main:
        raise LookupFailedError(f"No session begins with {name!r}. `lucid sessions` lists them.")
    if len(main) > 1:
        raise _unclear(name, [one.public_id for one in main])
    return main[0]


def find_agent(session: Transcript, name: str) -> Transcript:
    """A sub-agent of the session, by its id or the beginning of it."""
    name = encode_path(name).removeprefix("agent-")
    known = Transcript.objects.select_related("source", "project").filter(parent=session)
    found = list(known.filter(agent_id=name)[:2])
    if name and not found:
        found = list(known.filter(agent_id__startswith=name)[:LISTED])
    if not found:
        raise LookupFailedError(f"The session has no sub-agent {name!r}.")
    if len(found) > 1:
        raise _unclear(name, [one.agent_id for one in found])
    return found[0]


def _unclear(name: str, ids: list[str]) -> LookupFailedError:
    """`ids`: one more than is told, if there are so many."""
    told = ", ".join(ids[: LISTED - 1]) + (" and others" if len(ids) == LISTED else "")
    return LookupFailedError(f"{name!r} could be {told}. Give more of the id.")
