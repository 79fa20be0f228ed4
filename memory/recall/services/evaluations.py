"""Replays every message of a project's sessions against its memory, as a run: it can take a while."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from inspector.runs.models import Run
from inspector.runs.services import ActiveRun, RunError, run_create
from memory.files.engine.disk import FileTroubleError, Folder
from memory.models import Directory
from memory.recall.engine import (
    Injection,
    Outcome,
    Ranker,
    Tally,
    UserMessage,
    build_documents,
    inject,
    replay,
    scan_memory,
)
from memory.recall.selectors.sessions import events_with_messages, sessions_of
from memory.recall.services.recalls import bench_url
from sessions.models import Transcript
from sessions.secrets.engine import mask
from sessions.text.engine.excerpt import excerpt
from sessions.text.engine.storable import storable_text
from sessions.text.engine.words import plural
from sessions.transcripts.engine.paths import decode_path

KIND = "recall evaluation"
MOST_MESSAGES = 5_000
"""After this many no further session is begun; the result says so."""
MOST_LISTED = 500
SNIPPET = 200


@dataclass(slots=True)
class _ReplayTotals:
    tally: Tally
    sessions: int = 0
    unfitted: list[dict[str, Any]] = field(default_factory=list)
    """Messages that nothing fitted."""


def evaluation_create(*, directory: Directory) -> Run:
    """Returns the active run, if there is one."""
    return run_create(
        kind=KIND,
        target=directory.path,
        target_url=f"{bench_url(directory)}evaluation/",
        parameters={"directory": directory.pk},
    )


def evaluation_run(running: ActiveRun, run: Run) -> dict[str, Any]:
    """Uses the memory as it is now, not as it was when the messages were sent; the local ranker chooses."""
    directory = Directory.objects.select_related("project").filter(pk=run.parameters["directory"]).first()
    if directory is None:
        raise RunError("The memory directory is no longer known.")
    running.begin_phase("reading the memory")
    now = timezone.now()
    try:
        with Folder(decode_path(directory.path)) as folder:
            scanned = scan_memory(folder)
            ranker = Ranker(build_documents(folder, scanned.files, now))
            memories = [inject(folder, file.name, now) for file in scanned.files]
    except FileTroubleError as error:
        raise RunError(str(error)) from error
    sizes = {memory.name: memory.bytes for memory in memories if isinstance(memory, Injection)}
    replayed = _ReplayTotals(Tally(frozenset(sizes)))
    sessions = list(sessions_of(directory).filter(typed__gt=0))
    running.begin_phase("replaying messages", total=len(sessions), unit="sessions")
    for transcript in sessions:
        if replayed.tally.messages >= MOST_MESSAGES:
            break
        _replay(running, directory, transcript, ranker, sizes, replayed)
        running.advance(messages=replayed.tally.messages)
    return _result(directory, replayed, len(sessions), scanned.older)


def _replay(
    running: ActiveRun,
    directory: Directory,
    transcript: Transcript,
    ranker: Ranker,
    sizes: Mapping[str, int],
    replayed: _ReplayTotals,
) -> None:
    events = events_with_messages(directory, transcript)
    texts = {event.position: event.text for event in events if isinstance(event, UserMessage)}
    for answer in replay(events, ranker, sizes, replayed.tally):
        running.check()
        if answer.outcome is Outcome.NOTHING and len(replayed.unfitted) < MOST_LISTED:
            replayed.unfitted.append(
                {
                    "session": transcript.public_id,
                    "title": transcript.name[:SNIPPET],
                    "position": answer.position,
                    "address": f"L{answer.position}",
                    "text": storable_text(excerpt(mask(" ".join(texts[answer.position].split())), SNIPPET)),
                }
            )
    replayed.sessions += 1


def _result(directory: Directory, replayed: _ReplayTotals, sessions: int, older: int) -> dict[str, Any]:
    tally = replayed.tally
    summary = (
        f"{plural(tally.messages, 'message')} of {plural(replayed.sessions, 'session')}. Something was chosen for "
        f"{tally.outcomes[Outcome.CHOSEN]:,}, nothing fitted {tally.outcomes[Outcome.NOTHING]:,}; "
        f"{len(tally.never):,} of {plural(len(tally.names), 'memory', 'memories')} never chosen."
    )
    return {
        "summary": summary,
        "messages": tally.messages,
        "sessions": replayed.sessions,
        "sessions_left_out": sessions - replayed.sessions,
        "memories_too_old_to_be_read": older,
        "outcomes": {str(outcome): tally.outcomes[outcome] for outcome in Outcome},
        "never_chosen": tally.never,
        "listed": {
            "chosen": [[name, count] for name, count in tally.chosen.most_common()],
            "unfitted": replayed.unfitted,
        },
        "links": [["Which memories fit", f"{bench_url(directory)}evaluation/"]],
    }
