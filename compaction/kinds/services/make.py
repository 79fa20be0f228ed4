"""Makes a compaction of a session as it is now, and keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any
from uuid import uuid4

from compaction.hooks.services import RunningHooks
from compaction.kinds.engine import Applied, KindSpec, Parameters, apply_kind
from compaction.kinds.engine.stored_context import Keepsake
from compaction.kinds.selectors import compactable, failures_of, notes_of
from compaction.kinds.services.summarising import Summariser
from compaction.kinds.services.watching import Unwatched, Watcher
from compaction.mechanisms.engine import Effects, Report
from compaction.mechanisms.engine.attachments.recorded_files import recorded_files
from compaction.mechanisms.engine.compaction.occasion import NoHooks
from compaction.models import Compaction
from compaction.trail.engine import count_quotes
from sessions.archive.engine.file_prints import print_of
from sessions.context.engine import Context
from sessions.context.engine.tally import system_tally
from sessions.context.selectors.contexts import ContextPoint, load_context, point_next
from sessions.models import Transcript
from sessions.requests.selectors import Sharing, parent_of, sharing_with
from sessions.transcripts.engine.paths import decode_path


def compaction_make(
    *,
    transcript: Transcript,
    kind: KindSpec,
    parameters: Parameters,
    summariser: Summariser,
    now_ms: int,
    point: ContextPoint | None = None,
    run_id: int | None = None,
    hooks: RunningHooks | None = None,
    watcher: Watcher | None = None,
) -> Compaction:
    """`point`: where in the session; else at its end. Raises KindError if what is asked for makes no sense."""
    point = point or point_next(transcript)
    context = load_context(transcript, point)
    session_id = str(uuid4())
    sharing = _shared(transcript, context, kind, summariser)
    completed = _completed(transcript, kind, parameters, sharing, session_id)
    watcher = watcher or Unwatched()
    watcher.phase("compacting")
    applied = _applied(transcript, context, kind, completed, summariser, now_ms, hooks)
    watcher.phase("writing")
    packed = Keepsake.of(applied).packed()
    return Compaction.objects.create(
        transcript=transcript,
        kind=kind.name,
        parameters={key: value for key, value in asdict(parameters).items() if value},
        run_id=run_id,
        position=point.position,
        link=point.link,
        model_name=_author(kind, applied, summariser),
        mechanical=applied.mechanical,
        done=applied.done,
        messages_before=applied.messages_before,
        messages_after=applied.messages_after,
        tokens_before=applied.tokens_before,
        tokens_after=applied.tokens_after,
        summary=applied.summary.encode("utf-8", "replace").decode(),
        report=report_of(kind, applied, summariser, sharing, hooks),
        packed=packed,
        packed_hash=print_of(packed),
        session_id=session_id,
        created_at=now_ms,
    )


def _applied(
    transcript: Transcript,
    context: Context,
    kind: KindSpec,
    parameters: Parameters,
    summariser: Summariser,
    now_ms: int,
    hooks: RunningHooks | None,
) -> Applied:
    messages = compactable(context)
    beside = system_tally(context.setup.system, context.setup.tools)
    effects = Effects(
        summarise=summariser.summarise,
        announce_span=summariser.asking.announce if summariser.asking is not None else None,
        hooks=hooks or NoHooks(),
        read_notes=lambda: notes_of(transcript),
        read_file=recorded_files(messages),
        transcript_path=str(decode_path(transcript.source.path)),
    )
    return apply_kind(
        kind,
        messages,
        parameters,
        effects=effects,
        now=now_ms / 1000,
        model=context.model,
        overhead=beside.total,
        session_id=transcript.session_id,
        failures=failures_of(transcript, kind.name) if kind.automatic and summariser.asking is not None else 0,
    )


def _shared(transcript: Transcript, context: Context, kind: KindSpec, summariser: Summariser) -> Sharing | None:
    """Whether a summary is asked for as a fork of the session; None where nobody is asked for one of all of it."""
    asking = summariser.asking
    if not kind.can_fork or asking is None:
        return None
    parent = parent_of(transcript, context)
    sharing = sharing_with(parent, asking.model, asking.name)
    if sharing.shared and not isinstance(parent, str):
        asking.parent = parent
    return sharing


def _completed(
    transcript: Transcript, kind: KindSpec, parameters: Parameters, sharing: Sharing | None, session_id: str
) -> Parameters:
    """With the settings that follow from where and by whom it is made."""
    settings = dict(parameters.settings)
    if sharing is not None and not sharing.shared:
        settings.pop("fork", None)
        settings["fork"] = "off"  # as the last, it has the last word
    if kind.path_setting:
        # Where the texts will lie if it is exported beside its session. Nobody else has a say: an export writes there.
        folder = decode_path(transcript.source.path).parent / session_id / "tool-results"
        settings.pop(kind.path_setting, None)
        settings[kind.path_setting] = f"{folder}/{{tool_use_id}}.txt"
    return replace(parameters, settings=settings)


def _author(kind: KindSpec, applied: Applied, summariser: Summariser) -> str:
    if applied.mechanical:
        return "mechanical"
    return summariser.name if applied.summary and kind.summarises else ""


def report_of(
    kind: KindSpec,
    applied: Applied,
    summariser: Summariser,
    sharing: Sharing | None = None,
    hooks: RunningHooks | None = None,
) -> dict[str, Any]:
    """For pages and scripts."""
    report: dict[str, Any] = {
        "applied": applied.done,
        "failed": applied.failed,
        "why": applied.why,
        "stages": [_stage(one) for one in applied.reports],
        "cache_edits": [dict(one) for one in applied.cache_edits],
        "said": count_quotes(applied.before, applied.after, applied.summary).to_json(),
    }
    if kind.automatic:
        report["failures_in_a_row"] = applied.failures
    if sharing is not None:
        report["sharing"] = {"shared": sharing.shared, "why": sharing.why}
    if summariser.asking is not None:
        report["usage"] = asdict(summariser.asking.usage)
        report["requests"] = [one.report for one in summariser.asking.asked]
    if hooks is not None:
        report["hooks"] = hooks.report
    return report


def _stage(report: Report) -> Mapping[str, Any]:
    return {
        "mechanism": report.mechanism,
        "applied": report.applied,
        "why": report.why,
        "tokens_before": report.tokens_before,
        "tokens_after": report.tokens_after,
        "changes": [
            {
                "what": str(change.what),
                "uuid": change.uuid,
                "tokens_before": change.tokens_before,
                "tokens_after": change.tokens_after,
                "why": change.why,
                **({"tool_use_id": change.tool_use_id} if change.tool_use_id else {}),
            }
            for change in report.changes
        ],
    }
