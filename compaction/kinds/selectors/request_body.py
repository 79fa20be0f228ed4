"""The request that would be sent after a compaction: its body and the beta features that it needs."""

from __future__ import annotations

from typing import Any

from compaction.kinds.engine import CompactionResult
from compaction.mechanisms.engine.microcompact.cached import reference_results
from sessions.context.engine import Context
from sessions.models import Transcript
from sessions.requests.engine.prompt_cache.cache_marks import mark_messages
from sessions.requests.selectors import ParentRequest, find_parent_request
from sessions.secrets.engine import mask_json
from sessions.transcripts.engine.messages import join_messages


def request_document(transcript: Transcript, context: Context, applied: CompactionResult) -> dict[str, Any]:
    """Secrets are masked. What no record holds is left out, and listed in `unknown`."""
    parent = find_parent_request(transcript, context)
    body: dict[str, Any] = {"model": context.model}
    betas: list[str] = []
    unknown = ["max_tokens"]
    if isinstance(parent, ParentRequest):
        params = parent.params
        limit = {} if params.max_tokens is None else {"max_tokens": params.max_tokens}
        body = {"model": params.model, **limit, **params.extra, "system": params.system, "tools": params.tools}
        body |= {} if params.thinking is None else {"thinking": params.thinking}
        betas = list(params.betas)
        unknown = [] if limit else unknown
    else:
        unknown.append(parent)
    beside = dict(applied.beside)
    betas += [beta for beta in beside.pop("betas", ()) if beta not in betas]
    messages = mark_messages(join_messages(applied.before if applied.is_forecast else applied.after))
    body["messages"] = reference_results(messages) if "cache_edits" in beside else messages
    document = {"body": {**body, **beside}, "betas": betas, "unknown": unknown}
    masked = mask_json(document)
    assert isinstance(masked, dict)
    return masked
