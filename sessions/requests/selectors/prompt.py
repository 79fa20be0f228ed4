"""What is said of the prompt of one request, on its page and by the command."""

from __future__ import annotations

from sessions.context.engine import Context
from sessions.context.selectors.viewpoint import Viewpoint
from sessions.models import Request, Transcript
from sessions.requests.engine.anatomy import Anatomy, anatomy_of
from sessions.requests.engine.prompt_report import PromptReport, prompt_report
from sessions.requests.selectors.earlier_requests import writes_until
from sessions.secrets.engine import mask
from sessions.usage.engine.usage import Usage
from sessions.weights.engine import ContextWeights


def anatomy_at(view: Viewpoint, sent: Context, weights: ContextWeights) -> Anatomy:
    return anatomy_of(sent.setup, sent.elements, usage_of(view.request), weights)


def prompt_at(view: Viewpoint, sent: Context, anatomy: Anatomy) -> PromptReport:
    """Held against the request before of the same source."""
    history = writes_until(view.request) if view.request is not None and anatomy.marks else []
    is_subagent = view.transcript.kind == Transcript.Kind.AGENT or bool(view.request and view.request.agent)
    return prompt_report(sent, anatomy, view.previous_context(), history, mask, is_subagent=is_subagent)


def usage_of(request: Request | None) -> Usage | None:
    if request is None:
        return None
    return Usage(request.input, request.cache_read, request.cache_write_5m, request.cache_write_1h, request.output)
