"""Finds the transcript that a person names: by its id, the beginning of its id, or its path."""

from __future__ import annotations

import os

from django.db.models import Q

from sessions.models import Source, Transcript
from sessions.transcripts.engine.paths import encode_path

LISTED = 5


class LookupFailedError(ValueError):
    """The name matches nothing, or several transcripts."""


def is_path(name: str) -> bool:
    return os.sep in name or name.endswith(".jsonl")


def find_transcript(name: str) -> Transcript:
    """A session id, a unique prefix of one, or a path. Sub-agents answer to `agent-<id>` and to their bare id."""
    name = encode_path(name)
    transcripts = Transcript.objects.select_related("source", "project")
    current = transcripts.exclude(source__state=Source.State.REPLACED)
    exact = transcripts.filter(public_id=name).first()
    if exact is not None:
        return exact
    if is_path(name):
        path = os.path.abspath(os.path.expanduser(name))
        transcript = current.filter(source__path=path).first()
        if transcript is None:
            raise LookupFailedError(f"No transcript is known at {path}.")
        return transcript
    if not name:
        raise LookupFailedError("Which session? Give an id, the beginning of one, or a path.")
    candidates = current.filter(Q(public_id__startswith=name) | Q(agent_id=name))
    matches = list(candidates.order_by("kind", "public_id")[:LISTED])
    main = [match for match in matches if match.kind == Transcript.Kind.MAIN] or matches
    if not main:
        raise LookupFailedError(f"No session begins with {name!r}. `lucid sessions` lists them.")
    if len(main) > 1:
        raise _ambiguous(name, [match.public_id for match in main])
    return main[0]


def find_agent(session: Transcript, name: str) -> Transcript:
    """A sub-agent of the session, by its id or the beginning of it."""
    name = encode_path(name).removeprefix("agent-")
    agents = Transcript.objects.select_related("source", "project").filter(parent=session)
    matches = list(agents.filter(agent_id=name)[:2])
    if name and not matches:
        matches = list(agents.filter(agent_id__startswith=name)[:LISTED])
    if not matches:
        raise LookupFailedError(f"The session has no sub-agent {name!r}.")
    if len(matches) > 1:
        raise _ambiguous(name, [match.agent_id for match in matches])
    return matches[0]


def _ambiguous(name: str, ids: list[str]) -> LookupFailedError:
    """`ids`: one more than the message lists, if there are that many."""
    listed = ", ".join(ids[: LISTED - 1]) + (" and others" if len(ids) == LISTED else "")
    return LookupFailedError(f"{name!r} could be {listed}. Give more of the id.")
