"""Compactions as runs: who writes the summary may take minutes, and may be stopped."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from compaction.engine.kinds import Kind, KindError, Parameters
from compaction.services.make import compaction_make
from compaction.services.summarising import NoModelError, summariser_choose
from inspector.agents.cancel import CancelToken
from inspector.models import Run
from inspector.services.runs.running import Running
from inspector.services.runs.stops import RunError
from inspector.web.clock import now_ms
from sessions.models import Transcript

KIND = "compaction"


def compaction_run(running: Running, run: Run) -> dict[str, Any]:
    """What `parameters` ask for: transcript, kind, model, and what the kind takes. The session stays as it is."""
    asked = run.parameters
    transcript = Transcript.objects.select_related("source").filter(pk=asked["transcript"]).first()
    if transcript is None:
        raise RunError("The session is no longer in the archive.")
    running.phase("compacting")
    cancel = CancelToken()
    with running.closing(cancel.cancel):
        try:
            made = compaction_make(
                transcript=transcript,
                kind=Kind(asked["kind"]),
                parameters=Parameters(
                    asked.get("pivot", ""),
                    tuple(asked.get("ids", ())),
                    asked.get("instructions", ""),
                    asked.get("settings", {}),
                ),
                summariser=summariser_choose(settings.MODELS, asked.get("model", ""), cancel=cancel),
                now_ms=now_ms(),
                run_id=run.pk,
            )
        except (KindError, NoModelError) as error:
            raise RunError(str(error)) from error
    if made.report["failed"]:
        raise RunError(made.report["why"])
    return {
        "summary": made.report["why"],
        "compaction": made.pk,
        "messages_before": made.messages_before,
        "messages_after": made.messages_after,
        "before_tokens": made.tokens_before,
        "after_tokens": made.tokens_after,
        "written_by": made.model_name,
        "links": [["The session", f"/sessions/{transcript.public_id}/"]],
    }
