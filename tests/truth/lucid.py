"""What Lucid says of the sessions of a recording: its own commands, in this process."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management import call_command

from sessions.models import Transcript
from tests.truth.wire import Json


class Session(NamedTuple):
    id: str
    threads: dict[str, list[str]]
    """The ids of the answers in order, by sub-agent; those of the main thread under the empty name."""


def ask(command: str, *arguments: str) -> str:
    """`lucid COMMAND`."""
    out = io.StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue()


def sessions(folder: Path) -> list[Session]:
    """Of what was imported from this folder."""
    mains = Transcript.objects.filter(kind=Transcript.Kind.MAIN, source__path__startswith=f"{folder.resolve()}/")
    return [Session(transcript.public_id, _threads(transcript.public_id)) for transcript in mains.order_by("pk")]


def contexts(session: Session) -> Iterator[tuple[str, Json]]:
    """Every request of the session and of its sub-agents, with the name of the sub-agent."""
    for agent in session.threads:
        of_agent = ("--agent", agent) if agent else ()
        for line in ask("context", session.id, "--every-request", "--digest", *of_agent).splitlines():
            yield agent, json.loads(line)


def breaks(session: Session) -> dict[str, Json]:
    """By the id of the answer."""
    data = json.loads(ask("cache", session.id, "--json"))
    return {item["message_id"]: item for item in data["breaks"]}


def _threads(session: str) -> dict[str, list[str]]:
    data: list[dict[str, Any]] = json.loads(ask("requests", session, "--json"))
    threads: dict[str, list[str]] = {}
    for item in data:
        threads.setdefault(item["agent"] or "", []).append(item["message_id"])
    return threads
