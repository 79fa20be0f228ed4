"""Makes a compaction of a session and stores it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any
from uuid import uuid4

from msgspec import structs

from compaction.hooks.services import RunningHooks
from compaction.kinds.engine import CompactionResult, KindSpec, Parameters, apply_kind
from compaction.kinds.engine.sizes import measure_sizes
from compaction.kinds.engine.stored_context import StoredContext
from compaction.kinds.selectors import compactable_messages, count_failures
from compaction.kinds.selectors.overrides import add_overrides
from compaction.kinds.selectors.recorded_effects import recorded_effects
from compaction.kinds.services.awaited_notes import await_notes
from compaction.kinds.services.summarising import Summariser
from compaction.kinds.services.watcher import SilentWatcher, Watcher
from compaction.mechanisms.engine import Effects, Report
from compaction.mechanisms.engine.compaction.occasion import NoHooks
from compaction.models import Compaction
from compaction.pins.selectors import pinned_elsewhere, pinned_uuids
from compaction.trail.engine import count_quotes
from compaction.trail.selectors.links import last_refusal
from sessions.archive.engine.file_prints import print_of
from sessions.context.engine import Context
from sessions.context.engine.tally import system_tally
from sessions.context.selectors.contexts import ContextPoint, load_context, point_next
from sessions.models import Transcript
from sessions.requests.selectors import SharingDecision, decide_sharing, find_parent_request
from sessions.transcripts.engine.paths import decode_path
from sessions.weights.engine.message_weights import MessageWeights
from sessions.weights.selectors import message_weights, transcripts_to_weigh, weight_table
from sessions.weights.services.weighing import transcript_weigh


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
    """`point`: where in the session; by default at its end. Raises KindError if the request makes no sense."""
    point = point or point_next(transcript)
    context = load_context(transcript, point)
    session_id = str(uuid4())
    sharing = _find_sharing(transcript, context, kind, summariser)
    completed = _complete_parameters(transcript, kind, parameters, sharing, session_id)
    watcher = watcher or SilentWatcher()
    watcher.phase("compacting")
    applied = _apply(transcript, context, kind, completed, summariser, now_ms, hooks, watcher)
    watcher.phase("writing")
    packed = StoredContext.of(applied).pack()
    sizes = measure_sizes(context, _weigh(transcript, context), applied.after, applied.cache_edits)
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
        messages_before=sizes.messages_before,
        messages_after=sizes.messages_after,
        tokens_before=applied.tokens_before,
        tokens_after=applied.tokens_after,
        sizes=sizes.to_json(),
        summary=applied.summary.encode("utf-8", "replace").decode(),
        report=report_of(kind, applied, summariser, sharing, hooks),
        packed=packed,
        packed_hash=print_of(packed),
        session_id=session_id,
        created_at=now_ms,
    )


def _apply(
    transcript: Transcript,
    context: Context,
    kind: KindSpec,
    parameters: Parameters,
    summariser: Summariser,
    now_ms: int,
    hooks: RunningHooks | None,
    watcher: Watcher,
) -> CompactionResult:
    messages = compactable_messages(context)
    pinned = (*parameters.pinned, *pinned_uuids(transcript))
    effects = replace(
        recorded_effects(transcript, context, messages) if kind.runs_hooks else Effects(),
        pinned=frozenset(pinned),
        pinned_elsewhere=pinned_elsewhere(transcript, context, pinned) if kind.runs_hooks else (),
        summarise=summariser.summarise,
        announce_span=summariser.model_writer.announce if summariser.model_writer is not None else None,
        hooks=hooks or NoHooks(),
        read_notes=lambda: await_notes(transcript, context.position, watcher.wait, watcher.phase),
        transcript_path=str(decode_path(transcript.source.path)),
    )
    return apply_kind(
        kind,
        messages,
        parameters,
        effects=effects,
        now=now_ms / 1000,
        model=context.model,
        overhead=system_tally(context.setup.system, context.setup.tools).total,
        session_id=transcript.session_id,
        error=last_refusal(transcript, context.position) if kind.automatic else "",
        failures=count_failures(transcript, kind.name) if kind.automatic and summariser.model_writer is not None else 0,
    )


def _weigh(transcript: Transcript, context: Context) -> MessageWeights:
    if transcripts_to_weigh([transcript.pk], growing=True):
        transcript_weigh(transcript=transcript)
    return message_weights(context, weight_table(transcript))


def _find_sharing(
    transcript: Transcript, context: Context, kind: KindSpec, summariser: Summariser
) -> SharingDecision | None:
    """Whether the summary is requested as a fork of the session; None if no model summarises all of it."""
    writer = summariser.model_writer
    if not kind.can_fork or writer is None:
        return None
    parent = find_parent_request(transcript, context)
    sharing = decide_sharing(parent, writer.model, writer.name)
    if sharing.model == writer.name and not isinstance(parent, str):
        writer.betas = parent.params.betas
    if sharing.is_shared and not isinstance(parent, str):
        writer.parent = parent
    return sharing


def _complete_parameters(
    transcript: Transcript, kind: KindSpec, parameters: Parameters, sharing: SharingDecision | None, session_id: str
) -> Parameters:
    """The parameters with the settings that follow from where the compaction is made, and by whom."""
    parameters = add_overrides(kind, parameters, transcript, weight_table(transcript))
    settings = dict(parameters.settings)
    if sharing is not None and not sharing.is_shared:
        settings.pop("fork", None)
        settings["fork"] = "off"  # the last hook decides
    if kind.path_setting:
        # Where the texts will be if it is exported beside its session. Only this may decide, because an export writes
        # there.
        folder = decode_path(transcript.source.path).parent / session_id / "tool-results"
        settings.pop(kind.path_setting, None)
        settings[kind.path_setting] = f"{folder}/{{tool_use_id}}.txt"
    return replace(parameters, settings=settings)


def _author(kind: KindSpec, applied: CompactionResult, summariser: Summariser) -> str:
    if applied.mechanical:
        return "mechanical"
    return summariser.name if applied.summary and kind.summarises else ""


def report_of(
    kind: KindSpec,
    applied: CompactionResult,
    summariser: Summariser,
    sharing: SharingDecision | None = None,
    hooks: RunningHooks | None = None,
) -> dict[str, Any]:
    """For pages and scripts."""
    report: dict[str, Any] = {
        "applied": applied.done,
        "failed": applied.failed,
        "why": applied.why,
        "stages": [_stage(stage) for stage in applied.reports],
        "cache_edits": [dict(edit) for edit in applied.cache_edits],
        "beside": dict(applied.beside),
        "said": count_quotes(applied.before, applied.after, applied.summary).to_json(),
    }
    if kind.automatic:
        report["failures_in_a_row"] = applied.failures
    if sharing is not None:
        report["sharing"] = {"shared": sharing.is_shared, "why": sharing.why}
    if summariser.model_writer is not None:
        report["usage"] = structs.asdict(summariser.model_writer.usage)
        report["requests"] = [request.report for request in summariser.model_writer.requests]
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
                "what": str(change.kind),
                "uuid": change.uuid,
                "tokens_before": change.tokens_before,
                "tokens_after": change.tokens_after,
                "why": change.why,
                **({"tool_use_id": change.tool_use_id} if change.tool_use_id else {}),
            }
            for change in report.changes
        ],
    }
