"""Pages of captured requests: the list with the state of recording, one request in its parts, and its raw JSON."""

from __future__ import annotations

import json

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from inspector.web.file_views import sends_file
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.paging import page_of
from inspector.web.query import page_number, query_number
from sessions.capture.selectors.capture_list import add_sessions, list_captures, measure_captures
from sessions.capture.selectors.captures import capture_usage, load_answer, load_sent
from sessions.capture.selectors.recording import endpoint_address, recording_state
from sessions.catalog.selectors.facets import project_tree
from sessions.context.engine import Context
from sessions.context.engine.presentation.messages import MessageArray
from sessions.models import Capture
from sessions.requests.engine import Anatomy, anatomy_of
from sessions.requests.engine.captured_context import answer_pieces, context_of_capture
from sessions.requests.engine.prompt_report import PromptReport, prompt_report
from sessions.requests.selectors.earlier_requests import capture_before, captured_writes_until
from sessions.requests.views import anatomy_values
from sessions.secrets.engine import mask, mask_json
from sessions.weights.engine import WeightTable
from sessions.weights.selectors import weigh

PER_PAGE = 50
RAW_CHARACTERS = 4_000_000


@require_safe
def capture_list(request: HtmxRequest) -> HttpResponse:
    session = request.GET.get("session", "").replace("\0", "")[:200]
    run = query_number(request, "run")
    captures = list_captures(session=session, run=run)
    page = page_of(page_number(request), size=PER_PAGE, total=captures.count())
    context = {
        "section": "captures",
        "state": recording_state(),
        "endpoint": endpoint_address(f"{request.scheme}://{request.get_host()}"),
        "stored": measure_captures(),
        "rows": add_sessions(list(captures[page.start : page.stop])),
        "session_id": session,
        "run_id": run,
        "page": page,
        "projects": project_tree(),
    }
    return render_page(request, "sessions/capture/list.html", context, partials=("capture-list",))


@require_safe
def capture_detail(request: HtmxRequest, capture_id: int) -> HttpResponse:
    capture = _capture(capture_id)
    (row,) = add_sessions([capture])
    sent, answer = load_sent(capture), load_answer(capture)
    sent_context = context_of_capture(sent, request=capture.message_id, model=capture.model)
    usage = capture_usage(capture)
    weights = weigh(sent_context, WeightTable(), None if usage is None else usage.context)
    array = MessageArray(sent_context, mask, request.GET.get("open", ""), weights)
    anatomy = anatomy_of(sent_context.setup, sent_context.elements, usage, weights)
    parts = {**anatomy_values(request, sent_context, array, anatomy), "here": request.path, "root": ""}
    if name := parts.pop("part", ""):
        return render_page(request, name, parts)
    context = {
        **parts,
        "prompt": _prompt(capture, sent_context, anatomy),
        "section": "captures",
        "capture": capture,
        "row": row,
        "sent": sent_context,
        "headers": list(mask_json(capture.headers).items()),
        "error": mask(capture.error),
        "diagnostics": mask(json.dumps(mask_json(capture.diagnostics))) if capture.diagnostics else "",
        "pieces": answer_pieces(answer, mask) if answer else (),
        "projects": project_tree(),
    }
    return render_page(request, "sessions/capture/detail.html", context)


def _prompt(capture: Capture, sent: Context, anatomy: Anatomy) -> PromptReport:
    former = capture_before(capture)
    before = None if former is None else context_of_capture(load_sent(former), request="", model=former.model)
    copies = f"the request that {capture.parent_message} answered" if capture.parent_message else ""
    return prompt_report(
        sent,
        anatomy,
        before,
        captured_writes_until(capture),
        mask,
        is_subagent=bool(capture.agent),
        copies=copies,
        is_lucid=capture.origin == Capture.Origin.LUCID,
    )


@sends_file
@require_safe
def capture_raw(request: HtmxRequest, capture_id: int) -> HttpResponse:
    """As plain text, which a browser does not run."""
    capture = _capture(capture_id)
    documents = mask_json({"request": load_sent(capture).body(), "answer": load_answer(capture)})
    text = json.dumps(documents, indent=2, ensure_ascii=False).encode("utf-8", "replace").decode()
    cut = "\n… cut here" if len(text) > RAW_CHARACTERS else ""
    return HttpResponse(mask(text[:RAW_CHARACTERS]) + cut, content_type="text/plain; charset=utf-8")


def _capture(number: int) -> Capture:
    capture = Capture.objects.filter(pk=number).first() if number < 2**63 else None
    if capture is None:
        raise Http404(f"There is no capture {number}; it may be older than what is kept.")
    return capture
