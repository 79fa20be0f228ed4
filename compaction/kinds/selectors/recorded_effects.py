"""What a compaction knows about the world from the records of a session: files, plan, skills, agents, and the client's
version. Nothing else is read, because the paths in a session could name any file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compaction.kinds.selectors import load_records
from compaction.mechanisms.engine import Effects
from compaction.mechanisms.engine.attachments import ClientProcess, FileHistory, find_process, surroundings_of
from compaction.mechanisms.engine.attachments.file_changes import FILE_TOOLS
from compaction.mechanisms.engine.attachments.recorded_surroundings import TELLING_TOOLS
from compaction.mechanisms.engine.conversation.calls import calls_of
from sessions.context.engine import Context
from sessions.linking.selectors import LinkRows
from sessions.models import Transcript
from sessions.transcripts.engine.messages import Message, MessageKind

MOST_ROWS = 5_000
"""So far back a start of the client is looked for. Where none is found, nothing counts as forgotten."""


def recorded_effects(transcript: Transcript, context: Context, messages: Sequence[Message]) -> Effects:
    telling = _select_messages(messages)
    load, known = load_records(transcript, telling), {message.position for message in telling}

    def records(message: Message) -> Mapping[str, Any] | None:
        return load(message) if message.position in known else None

    files = FileHistory.of(messages, records)
    latest = next((message for message in reversed(messages) if message.position is not None), None)
    record = (records(latest) if latest is not None else None) or {}
    version = record.get("version")
    betas, most = context.setup.params.get("betas"), context.setup.params.get("max_tokens")
    return Effects(
        read_file=files.read,
        records=records,
        client=version if isinstance(version, str) else "",
        betas=tuple(map(str, betas)) if isinstance(betas, list) else (),
        max_output=most if isinstance(most, int) else 0,
        surroundings=surroundings_of(messages, records, files, _find_process(transcript, context)),
    )


def _select_messages(messages: Sequence[Message]) -> list[Message]:
    """Messages whose records hold more than was sent, and the latest one, which names the client."""
    calls = calls_of(messages)
    tools = FILE_TOOLS | TELLING_TOOLS
    telling = []
    for message in messages:
        names = {
            call.name
            for block in message.content
            if message.kind is MessageKind.RESULT and (call := calls.get(str(block.get("tool_use_id")))) is not None
        }
        if message.kind is MessageKind.INJECTED or names & tools:
            telling.append(message)
    latest = next((message for message in reversed(messages) if message.position is not None), None)
    return telling if latest is None else [*telling, latest]


def _find_process(transcript: Transcript, context: Context) -> ClientProcess:
    links = LinkRows(transcript.pk, transcript.source_id)
    first = max(context.start, context.position - MOST_ROWS, 0)
    rows = links.load(first, context.position)

    def is_streamed(position: int) -> bool:
        message = links.record(position).get("message")
        return isinstance(message, dict) and isinstance(message.get("content"), list)

    return find_process(rows, is_streamed)
