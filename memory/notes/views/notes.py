"""The notes of a session and its memories: what exists, whether it is due, and the buttons that start a run for either.

A model is asked only after its price was shown and confirmed."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from inspector.agents.choosing import MECHANICAL, choice_of
from inspector.budget.selectors import budget_at
from inspector.budget.services import budget_hold
from inspector.runs.models import Run
from inspector.runs.services import RunError
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.model_form import NAMED, UNFIT, destination
from inspector.web.query import query_number
from memory.extraction.engine import ExtractionConfig, ExtractionDecision
from memory.extraction.engine.conversation_text import write_conversation
from memory.extraction.selectors import NoMemoryError, extraction_decide, get_extraction, load_messages, memory_path
from memory.extraction.services.runs import extraction_request, extraction_require_model
from memory.files.engine.disk import FileTroubleError
from memory.history.selectors.history import version_text
from memory.history.services.restoration import batch_undo
from memory.models import Version
from memory.notes.engine import NotesThresholds
from memory.notes.engine.sections import tokens_of
from memory.notes.selectors.notes import NotesSituation, notes_history, notes_prompt
from memory.notes.selectors.tab import EXTRACTION, NOTES, agent_price, proposals_of_session, unfinished_runs
from memory.notes.services.runs import TURNS, notes_create, notes_message
from memory.notes.views.form import UNDO, NotesForm, form_of
from sessions.context.selectors.contexts import point_next
from sessions.models import Transcript
from sessions.requests.selectors import SharingDecision, find_sharing
from sessions.secrets.engine import mask
from sessions.text.engine.diffs import Diff, from_texts
from sessions.text.engine.prose import render
from sessions.timeline.selectors.entries import find_entry
from sessions.transcripts.selectors.session import SessionHead, session_head
from sessions.transcripts.selectors.session_size import is_cut_often, is_large
from sessions.weights.engine import estimate_text

LONGEST_DIFF = 400
"""Lines."""
LONGEST_LINE = 2_000
"""Characters."""


@require_http_methods(["GET", "HEAD", "POST"])
def transcript_notes(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    page = _Page(request, head, form_of(request.POST if request.method == "POST" else request.GET))
    return page.start() if request.method == "POST" else page.show()


def confirmation_of(run: Run) -> str | None:
    """The page that restarts a run that asks a model, because the price is shown again; None if it asks none."""
    if run.parameters.get("model", "") in ("", MECHANICAL):
        return None
    rows = Transcript.objects.filter(pk=run.parameters.get("transcript"))
    public_id = rows.values_list("public_id", flat=True).first()
    return None if public_id is None else reverse("transcript-notes", args=[public_id])


class _Page:
    def __init__(self, request: HtmxRequest, head: SessionHead, form: NotesForm) -> None:
        self.request = request
        self.head = head
        self.transcript = head.transcript
        self.form = form
        self.choice = choice_of(settings.MODELS)
        self.situation = NotesSituation(head.transcript)

    # --- looking --------------------------------------------------------------------------------------------------
    def show(self, *, status: int = 200) -> HttpResponse:
        on_demand = self.request.GET.get("due") == "1"
        waiting = (is_large(self.transcript) or is_cut_often(self.transcript)) and not on_demand
        values = {
            **self.frame(),
            **self.notes_values(),
            **({"waiting": True} if waiting else self.due_values()),
            **self.memory_values(waiting=waiting),
            "runs": unfinished_runs(self.transcript, now_ms()),
        }
        response = render_page(self.request, "memory/notes/notes.html", values, partials=("notes",))
        response.status_code = status
        return response

    def frame(self) -> dict[str, Any]:
        return {
            "section": "sessions",
            "tab": "notes",
            "head": self.head,
            "session": self.transcript,
            "root": session_root(self.transcript),
            "form": self.form,
            "choice": self.choice,
            "destination": destination(self.choice),
            "budget": budget_at(now_ms()),
            "model": self.model,
            "main": self.transcript.kind == Transcript.Kind.MAIN,
        }

    def due_values(self) -> dict[str, Any]:
        point = point_next(self.transcript).name(self.transcript)
        return {"due": self.situation.due, "size": self.situation.size, "point": point}

    def notes_values(self) -> dict[str, Any]:
        situation, limits = self.situation, self.situation.limits
        history = notes_history(self.transcript)
        chosen = query_number(self.request, "version")
        version = next((row.version for row in history if row.version.pk == chosen), None)
        return {
            "notes": situation.newest,
            "files": situation.files,
            "sections": [(row, row.tokens > limits.section, render(mask(row.body))) for row in situation.sections],
            "total": tokens_of(situation.text) if situation.newest else 0,
            "limits": limits,
            "thresholds": NotesThresholds(),
            "warnings": situation.warnings,
            "customs": situation.customs,
            "history": history,
            "version": version,
            "diff": _changes(version) if version else None,
        }

    def memory_values(self, *, waiting: bool) -> dict[str, Any]:
        values: dict[str, Any] = {
            "extraction": get_extraction(self.transcript),
            "turns": ExtractionConfig().turns,
            "proposals": proposals_of_session(self.transcript),
        }
        if not waiting:
            decision = self.decide()
            values["decision" if isinstance(decision, ExtractionDecision) else "nowhere"] = decision
        return values

    def decide(self) -> ExtractionDecision | str:
        """The decision, or why there is no memory directory."""
        try:
            memory = memory_path(self.transcript)
            return extraction_decide(self.transcript, memory, latest=self.situation.context)
        except NoMemoryError as error:
            return str(error)

    @property
    def model(self) -> str:
        if not self.form.asks_model:
            return MECHANICAL
        return self.form.model if self.form.writer == NAMED else self.choice.main

    # --- starting -------------------------------------------------------------------------------------------------
    def start(self) -> HttpResponse:
        form = self.form
        if form.action == UNDO:
            return self.undo()
        field_name = f"{form.action}-model"
        first, last = self.position("first"), self.position("last")
        if first is not None and last is not None and last < first:
            form.errors["last"] = "The last entry stands before the first one."
        if form.asks_model and not form.errors:
            try:
                if form.action == EXTRACTION:
                    extraction_require_model()
                elif self.choice.kind == MECHANICAL:
                    raise RunError(f"No model can be asked. {self.choice.why}")
                budget_hold()
            except RunError as error:
                form.errors[field_name] = error.sentence
        if form.errors:
            return self.show(status=UNFIT)
        if form.asks_model and self.request.POST.get("confirmed") != self.model and not self.passes_over(first, last):
            return self.confirm(first, last)
        if form.action == EXTRACTION:
            requested = extraction_request(transcript=self.transcript, model=self.model, first=first, last=last)
            run = requested.run
        else:
            run = notes_create(transcript=self.transcript, model=self.model, into_agent=form.into_agent)
        response = HttpResponseRedirect(reverse("run-detail", args=[run.pk]))
        response.status_code = 303
        return response

    def undo(self) -> HttpResponse:
        """Undoes one update of the notes."""
        history = {row.version.batch_id: row.version.batch for row in notes_history(self.transcript)}
        batch = history.get(self.form.batch)
        if batch is None:
            raise Http404("There is no such update of these notes.")
        try:
            batch_undo(batch=batch)
        except FileTroubleError as error:
            self.form.errors["undo"] = str(error)
            return self.show(status=UNFIT)
        response = HttpResponseRedirect(f"{self.request.path}#history")
        response.status_code = 303
        return response

    def passes_over(self, first: int | None, last: int | None) -> bool:
        """Whether only the cursor would move on, without asking a model."""
        if self.form.action != EXTRACTION or first is not None or last is not None:
            return False
        decision = self.decide()
        return isinstance(decision, ExtractionDecision) and decision.moves_cursor

    def position(self, name: str) -> int | None:
        address = self.form.first if name == "first" else self.form.last
        if self.form.action != EXTRACTION or not address:
            return None
        try:
            owner, entry = find_entry(self.transcript, address)
        except Http404:
            self.form.errors[name] = "The session has no such entry. Give its uuid, or L and its number, such as L12."
            return None
        if owner.pk != self.transcript.pk:
            self.form.errors[name] = "That entry belongs to another transcript of this session."
            return None
        return entry.position

    def confirm(self, first: int | None, last: int | None) -> HttpResponse:
        """Shows what would be sent, to whom, and the price. Nothing has been sent yet."""
        sharing = find_sharing(self.transcript, self.model)
        ranged = first is not None or last is not None
        if self.form.action == NOTES:
            sent = self.notes_tokens(sharing)
            price = agent_price(self.model, sent, TURNS)
        else:
            decision = self.decide()
            if isinstance(decision, str) or (not ranged and not decision.is_due):
                self.form.errors["range"] = decision if isinstance(decision, str) else decision.why
                return self.show(status=UNFIT)
            start = first or 0 if ranged else decision.start
            stop = self.transcript.entries if last is None else last + 1
            if sharing.is_shared and not ranged:
                sent = round(self.situation.size.weight.tokens)
            else:
                sent = estimate_text(write_conversation(load_messages(self.transcript, start, stop)), self.model)
            price = agent_price(self.model, sent, ExtractionConfig().turns)
        budget = budget_at(now_ms())
        values = {
            **self.frame(),
            "price": price,
            "sharing": sharing if not ranged else None,
            "budget": budget,
            "beyond": budget.remaining is not None and price.least is not None and price.least > budget.remaining,
            "may_exceed": budget.remaining is not None and price.most is not None and price.most > budget.remaining,
        }
        return render_page(self.request, "memory/notes/notes_confirm.html", values)

    def notes_tokens(self, sharing: SharingDecision) -> int:
        prompt = notes_prompt(self.situation, "summary.md")
        if sharing.is_shared:
            return round(self.situation.size.weight.tokens) + estimate_text(prompt, self.model)
        return estimate_text(notes_message(self.situation, prompt), self.model)


def _changes(version: Version) -> Diff:
    """The changes of a version, with secrets masked."""
    before = version_text(version.parent) if version.parent else ""
    return from_texts(mask(before or ""), mask(version_text(version) or "")).head(LONGEST_DIFF).narrow(LONGEST_LINE)
