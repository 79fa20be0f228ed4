"""The recall bench: which memories a message would bring into the context, step by step, and which are never chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_http_methods

from inspector.agents.choosing import MECHANICAL, choice_of
from inspector.budget.selectors import budget_at
from inspector.runs.models import Run
from inspector.runs.selectors.lists import ACTIVE, run_card
from inspector.runs.services import RunError
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.model_form import destination
from inspector.web.query import whole_number
from memory.files.views.page_frame import page_context, with_directory
from memory.models import Directory
from memory.recall.engine import Choice, RecallState, state_of
from memory.recall.selectors.runs import evaluation_of, price_of, recall_run_get
from memory.recall.selectors.sessions import Message, events_of, latest_messages, message_of, recall_now
from memory.recall.services.evaluations import evaluation_create
from memory.recall.services.recalls import NO_MODEL, read_choice, recall_create
from memory.recall.views.presentation import recall_view
from sessions.secrets.engine import mask
from sessions.timeline.selectors.entries import find_entry
from sessions.transcripts.engine.flags import is_message
from sessions.transcripts.selectors.session import transcript_get

LATEST = 12
LONGEST = 4_000
"""Characters of a typed message: it goes into the URL."""


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """What the URL asks for."""

    text: str = ""
    message: Message | None = None
    """The message of a session that has the text."""
    run: Run | None = None
    """The run that asks a model, or asked it."""

    @property
    def query_string(self) -> str:
        if self.message is not None:
            return urlencode({"session": self.message.transcript.public_id, "entry": self.message.address})
        return urlencode({"message": self.text})

    def state(self, directory: Directory) -> RecallState:
        if self.message is None:
            return RecallState()
        return state_of(events_of(directory, self.message.transcript, until=self.message.position))

    @property
    def choice(self) -> Choice | None:
        completed = self.run is not None and self.run.status == Run.Status.COMPLETED
        return read_choice(self.run.result) if completed and self.run is not None else None


@require_http_methods(["GET", "HEAD", "POST"])
@with_directory
def memory_recall(request: HtmxRequest, directory: Directory) -> HttpResponse:
    if request.method == "POST":
        return _ask(request, directory)
    query = _read_query(directory, request.GET.dict())
    values: dict[str, Any] = {
        **_frame(request, directory),
        "recall_query": query,
        "message": mask(query.text),
        "longest": LONGEST,
    }
    if query.text:
        values |= _recall_values(directory, query)
    values["latest"] = SimpleLazyObject(lambda: [(row, mask(row.text)) for row in latest_messages(directory, LATEST)])
    return render_page(request, "memory/recall/recall.html", values, partials=("recalled",))


@require_http_methods(["GET", "HEAD", "POST"])
@with_directory
def recall_evaluation(request: HtmxRequest, directory: Directory) -> HttpResponse:
    """Replays all messages of the project's sessions against its memory."""
    if request.method == "POST":
        evaluation_create(directory=directory)
        return _see_other(request.path)
    active, finished = evaluation_of(directory)
    now = now_ms()
    values = {
        **_frame(request, directory),
        "card": run_card(active, now) if active is not None else None,
        "finished": finished,
        "result": finished.result if finished is not None else None,
        "unfitted": finished.result["outcomes"]["nothing fitted"] if finished is not None else 0,
    }
    return render_page(request, "memory/recall/recall_evaluation.html", values, partials=("evaluation",))


def _frame(request: HtmxRequest, directory: Directory) -> dict[str, Any]:
    return {
        **page_context(request, directory, "recall"),
        "bench": reverse("memory-recall", args=[directory.pk]),
        "evaluation": reverse("memory-recall-evaluation", args=[directory.pk]),
    }


def _read_query(directory: Directory, values: dict[str, str]) -> RecallQuery:
    run = _run(directory, values.get("run", ""))
    if run is not None:
        return RecallQuery(run.parameters["text"], _message(directory, run.parameters), run)
    message = _message(directory, values)
    return RecallQuery(message.text if message else values.get("message", "").strip()[:LONGEST], message)


def _run(directory: Directory, number: str) -> Run | None:
    if not number:
        return None
    key = whole_number(number)
    run = recall_run_get(directory, key) if key is not None else None
    if run is None:
        raise Http404(f"No run {number[:20]} asked about this memory.")
    return run


def _message(directory: Directory, values: dict[str, Any]) -> Message | None:
    if not values.get("session") or not values.get("entry"):
        return None
    transcript, entry = find_entry(transcript_get(values["session"]), values["entry"])
    if transcript.project_id != directory.project_id:
        raise Http404("This session belongs to another project, which has a memory of its own.")
    if not is_message(entry.flags):
        raise Http404("Memories are recalled for what a person says; this entry is something else.")
    return message_of(transcript, entry)


def _recall_values(directory: Directory, query: RecallQuery) -> dict[str, Any]:
    recalled = recall_now(directory, query.text, query.state(directory), query.choice)
    choice = choice_of(settings.MODELS)
    now = now_ms()
    return {
        "view": recall_view(recalled),
        "recalled": recalled,
        "choice": choice,
        "askable": choice.kind != MECHANICAL,
        "advice": NO_MODEL,
        "price": price_of(recalled.prepared, choice.small),
        "destination": destination(choice),
        "budget": budget_at(now),
        "card": run_card(query.run, now) if query.run is not None else None,
        "waiting": query.run is not None and query.run.status in ACTIVE,
    }


def _ask(request: HtmxRequest, directory: Directory) -> HttpResponse:
    query = _read_query(directory, {key: str(value) for key, value in request.POST.items()})
    try:
        run = recall_create(directory=directory, text=query.text, message=query.message)
    except RunError as error:
        return HttpResponse(f"{error.sentence}\n", status=409, content_type="text/plain; charset=utf-8")
    return _see_other(f"{request.path}?run={run.pk}")


def _see_other(address: str) -> HttpResponse:
    response = HttpResponseRedirect(address)
    response.status_code = 303
    return response
