"""Replays auto over the requests of a session, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from compaction.kinds.engine import Parameters, config_of, kind_named
from compaction.kinds.selectors.overrides import add_overrides
from compaction.trail.engine.auto_replay import AutoReplay, RecordedRequest, ReplayStep
from compaction.trail.selectors.links import load_unanswered, refused_request, unanswered_text
from sessions.archive.selectors.records import Reader
from sessions.context.engine import Context
from sessions.context.selectors.forked_contexts import load_original_contexts
from sessions.models import Request, Transcript
from sessions.weights.selectors import weight_table

_AGENT = "agent"
"""Who asks in a sub-agent: its compactions empty nothing that the session shares."""


def replay_auto(transcript: Transcript, settings: Mapping[str, str]) -> Iterator[ReplayStep]:
    """`settings` of the kind `auto`. Edits of the cache count as possible unless they say otherwise.

    Raises KindError for settings that make no sense."""
    kind = kind_named("auto")
    chosen = {"pipeline.cache_edits": "on", **settings}
    parameters = add_overrides(kind, Parameters(settings=chosen), transcript, weight_table(transcript))
    config = config_of(kind, parameters.settings).pipeline
    if transcript.kind != Transcript.Kind.MAIN:
        config = replace(config, source=_AGENT)
    yield from map(AutoReplay(config, transcript.version).step, _requests(transcript))


def _requests(transcript: Transcript) -> Iterator[RecordedRequest]:
    rows = {row.message_id: row for row in Request.objects.filter(transcript=transcript)}
    unanswered = load_unanswered(transcript)
    reader = Reader(transcript.source_id)
    after = -1
    for _, context in load_original_contexts(transcript):
        row = rows.get(context.request)
        if row is None:
            continue
        between = [record for record in unanswered if after < record.position < row.position and record.is_error]
        refused = refused_request(between, lambda record: unanswered_text(reader, record))
        yield _make_request(context, row, refused.error if refused is not None else "")
        after = row.position


def _make_request(context: Context, row: Request, error: str) -> RecordedRequest:
    return RecordedRequest(
        row.message_id,
        row.position,
        (row.at or 0) / 1000,
        context.model,
        context.messages,
        context.start,
        row.input + row.cache_read + row.cache_write_5m + row.cache_write_1h,
        row.cache_read,
        error,
    )
