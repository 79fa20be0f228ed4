"""Compacting a session: what each kind would do, with which settings, and the button that starts the run.

Looking is a GET with everything in the address. Only the button posts, and a model is asked only after its price was
shown and confirmed."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import replace_url

from compaction.hooks.selectors import HookConfiguration, Scope, hooks_of
from compaction.kinds.engine import all_kinds
from compaction.kinds.selectors.forecast import Forecast
from compaction.kinds.selectors.form import SessionSnapshot
from compaction.kinds.selectors.moment import find_moment
from compaction.kinds.selectors.request_body import request_document
from compaction.kinds.selectors.session_model import session_model
from compaction.kinds.services.runs import KIND
from compaction.kinds.views.form import LONGEST_INSTRUCTIONS, SESSION, CompactionForm, form_from_run, parse_form
from compaction.mechanisms.engine.partial.pivots import legal_pivots
from inspector.agents.choosing import MECHANICAL, choice_of
from inspector.budget.selectors import budget_at
from inspector.budget.services import budget_hold
from inspector.runs.models import Run
from inspector.runs.services import RunError, run_create
from inspector.web.addresses import session_root
from inspector.web.clock import now_ms
from inspector.web.htmx import HtmxRequest, render_page, wants_partial
from inspector.web.model_form import UNFIT, destination
from inspector.web.query import query_number
from inspector.web.svg import token_bar
from sessions.models import Transcript
from sessions.requests.selectors import find_sharing
from sessions.requests.selectors.warmth import cache_warmth
from sessions.secrets.engine import mask
from sessions.transcripts.selectors.session import SessionHead, session_head
from sessions.transcripts.selectors.session_size import is_large
from sessions.usage.engine.price_forecast import forecast_price


@require_http_methods(["GET", "HEAD", "POST"])
def transcript_compact(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    form = _read_form(request, head)
    moment = find_moment(head.transcript, form.at) if form.at else None
    if moment is not None and moment.transcript.pk != head.transcript.pk:
        return _redirect(moment.transcript, form)
    snapshot = SessionSnapshot(head.transcript, moment)
    page = _Page(request, head, form, snapshot)
    if (elsewhere := page.elsewhere()) is not None:
        return elsewhere
    if request.method == "POST":
        return page.start()
    return page.show()


@require_safe
def compact_request(request: HtmxRequest, session: str) -> HttpResponse:
    """The request that would be sent after the compaction of this address, as a download."""
    head = session_head(session, now_ms())
    form = parse_form(request.GET)
    moment = find_moment(head.transcript, form.at) if form.at else None
    page = _Page(request, head, form, SessionSnapshot(head.transcript, moment))
    if form.errors or page.missing_choice():
        raise Http404(next(iter(form.errors.values()), page.missing_choice()))
    forecast = page.forecast()
    if forecast.applied is None:
        raise Http404(forecast.refused)
    document = request_document(head.transcript, page.snapshot.context, forecast.applied)
    return HttpResponse(
        json.dumps(document, indent=1, ensure_ascii=False),
        content_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="request.json"'},
    )


def _redirect(owner: Transcript, form: CompactionForm) -> HttpResponse:
    """Redirects to the same form of a sub-agent or of the session."""
    return HttpResponseRedirect(f"{reverse('transcript-compact', args=[owner.public_id])}?{form.query}")


def _read_form(request: HtmxRequest, head: SessionHead) -> CompactionForm:
    if request.method == "POST":
        return parse_form(request.POST)
    again = query_number(request, "again")
    if again is not None and "kind" not in request.GET:
        run = Run.objects.filter(pk=again, kind=KIND).first()
        if run is not None and run.parameters.get("transcript") == head.transcript.pk:
            return form_from_run(run)
    return parse_form(request.GET)


def confirmation_of(run: Run) -> str | None:
    """The page that restarts a run that asks a model or runs hooks, because price and commands are shown again. None if
    it does neither."""
    if run.parameters.get("model", "") in ("", MECHANICAL) and run.parameters.get("hooks", Scope.OFF) == Scope.OFF:
        return None
    public_id = (
        Transcript.objects.filter(pk=run.parameters.get("transcript")).values_list("public_id", flat=True).first()
    )
    return None if public_id is None else f"{reverse('transcript-compact', args=[public_id])}?again={run.pk}"


class _Page:
    def __init__(
        self, request: HtmxRequest, head: SessionHead, form: CompactionForm, snapshot: SessionSnapshot
    ) -> None:
        self.request = request
        self.head = head
        self.form = form
        self.snapshot = snapshot
        self.choice = choice_of(settings.MODELS)
        self.cut_point = snapshot.find_cut(form.pivot, form.kind.direction) if form.kind.direction else None
        if form.kind.picks_turns:
            form.ids, self.problems = snapshot.find_turns(form.ids)
        else:
            self.problems = []

    def elsewhere(self) -> HttpResponse | None:
        """The form of the transcript that the message belongs to."""
        owner = self.cut_point.owner if self.cut_point else None
        if owner is None:
            return None
        return _redirect(owner, self.form)

    # --- looking --------------------------------------------------------------------------------------------------
    def show(self, *, status: int = 200) -> HttpResponse:
        alone = wants_partial(self.request, "forecast")
        on_demand = alone or self.request.GET.get("forecast") == "1"
        values = {**self.frame_values(), **self.forecast_values(on_demand=on_demand), "alone": alone}
        if not alone:
            values |= self.list_values()
        response = render_page(self.request, "compaction/kinds/compact.html", values, partials=("forecast", "compact"))
        response.status_code = status
        return replace_url(response, f"{self.request.path}?{self.form.query}") if alone else response

    def frame_values(self) -> dict[str, Any]:
        form = self.form
        return {
            "section": "sessions",
            "tab": "compact",
            "head": self.head,
            "session": self.head.transcript,
            "root": session_root(self.head.transcript),
            "form": form,
            "moment": self.snapshot.moment,
            "kinds": [(kind, form.query_of(kind)) for kind in all_kinds()],
            "choice": self.choice,
            "destination": destination(self.choice),
            "budget": budget_at(now_ms()) if form.kind.summarises else None,
            "model": self.model,
            "own_model": self.own_model,
            "longest": LONGEST_INSTRUCTIONS,
            "hooks": self.hook_values() if form.kind.runs_hooks else None,
            "pinned": self.snapshot.pinned_rows(),
        }

    @cached_property
    def hooks(self) -> HookConfiguration:
        return hooks_of(self.head.transcript, str(self.form.kind.trigger))

    def hook_values(self) -> dict[str, Any]:
        """The commands that would run around it, by owner: no command runs that was not shown."""
        configured = self.hooks
        return {
            "shown": [(hook, mask(hook.command)) for hook in configured.hooks],
            "problems": configured.problems,
            "theirs": any(not Scope.USER.covers(hook.origin) for hook in configured.hooks),
            "running": [(hook, mask(hook.command)) for hook in configured.allowed_by(self.form.hooks)],
            "fingerprint": configured.fingerprint,
        }

    def list_values(self) -> dict[str, Any]:
        number = query_number(self.request, "page")
        form = self.form
        if form.kind.picks_turns:
            page, rows = self.snapshot.turn_page(form.ids, number)
        elif form.kind.direction and self.cut_point is not None:
            page, rows = self.snapshot.cut_page(self.cut_point.cut, form.kind.direction, number)
        else:
            return {}
        row_uuids = {row.uuid for row in rows}
        elsewhere = [uuid for uuid in form.ids if uuid not in row_uuids]
        return {
            "page": page,
            "rows": rows,
            "elsewhere": elsewhere,
            "cut_point": self.cut_point,
            "problems": self.problems,
        }

    def forecast_values(self, *, on_demand: bool) -> dict[str, Any]:
        """For large sessions only on request."""
        if self.form.errors or self.missing_choice():
            return {"lacks": self.missing_choice(), "idle": not self.has_choice()}
        if is_large(self.head.transcript) and not on_demand:
            return {"waiting": True}
        forecast = self.forecast()
        values: dict[str, Any] = {"forecast": forecast, **_explanation(forecast)}
        if forecast.sizes is not None:
            freed = max(0, forecast.tokens_freed)
            left = round(forecast.sizes.after.weight.tokens)
            values |= {"sizes": forecast.sizes, "point": self.snapshot.point.name(self.head.transcript)}
            values["bar"] = token_bar([("kept", "left", left), ("freed", "freed", freed)])
        if self.form.will_ask_model:
            values["price"] = forecast_price(self.model, forecast.weights)
        # With a model, the forecast only guesses the summary, which may turn out shorter.
        asks = self.form.will_ask_model and forecast.weights
        if forecast.applied is not None and forecast.applied.beside:
            values["beside"] = json.dumps(forecast.applied.beside, indent=2, ensure_ascii=False)
        values["idle"] = forecast.applied is None or not (forecast.applied.done or asks)
        return values

    def forecast(self, *, shared: bool = False) -> Forecast:
        return self.snapshot.forecast(
            self.form.kind, self.form.parameters(), asks_model=self.form.will_ask_model, shared=shared, now_ms=now_ms()
        )

    def missing_choice(self) -> str:
        """What must be chosen first."""
        if self.form.kind.picks_turns and not self.form.ids:
            return "Pick the turns that should go." if self.has_choice() else "No turn of this session can go."
        if self.cut_point is not None and not self.cut_point.cut:
            return "Pick the message at which it is cut." if self.has_choice() else "There is no place to cut it."
        return ""

    def has_choice(self) -> bool:
        if self.form.kind.picks_turns:
            return any(not turn.stays for turn in self.snapshot.turns)
        if self.form.kind.direction is not None:
            return bool(legal_pivots(self.snapshot.messages, self.form.kind.direction, self.snapshot.context.model))
        return True

    @property
    def model(self) -> str:
        return self.form.model_name(self.choice.main, self.own_model)

    @cached_property
    def own_model(self) -> str:
        asks = self.form.kind.summarises and self.choice.kind != MECHANICAL
        return session_model(self.head.transcript) if asks else ""

    # --- starting -------------------------------------------------------------------------------------------------
    def start(self) -> HttpResponse:
        form = self.form
        if self.missing_choice():
            form.errors["pivot" if form.kind.needs_pivot else "ids"] = self.missing_choice()
        if form.will_ask_model and self.choice.kind == MECHANICAL:
            form.errors["model"] = f"No model can be asked. {self.choice.why}"
        if form.will_ask_model and form.writer == SESSION and not self.own_model:
            form.errors["model"] = "No record of the session names its model. Choose another."
        if form.will_run_hooks and form.hooks_seen != self.hooks.fingerprint:
            form.errors["hooks"] = "They are not the ones that were shown. Look at them again before any of them runs."
        if form.errors:
            return self.show(status=UNFIT)
        if form.will_ask_model:
            try:
                budget_hold()
            except RunError as error:
                form.errors["model"] = error.sentence
                return self.show(status=UNFIT)
            if self.request.POST.get("confirmed") != self.model:
                return self.confirm()
        run = run_create(
            kind=KIND,
            target=self.head.title[:200],
            target_url=reverse("transcript-detail", args=[self.head.public_id]),
            parameters=form.run_parameters(self.head.transcript.pk, self.model),
            retry_of=Run.objects.filter(pk=form.again, kind=KIND).first() if form.again else None,
        )
        response = HttpResponseRedirect(reverse("run-detail", args=[run.pk]))
        response.status_code = 303
        return response

    def confirm(self) -> HttpResponse:
        """Shows what would be sent, to whom, and the price. Nothing has been sent yet."""
        sharing = find_sharing(self.head.transcript, self.model)
        forecast = self.forecast(shared=sharing.is_shared)
        price = forecast_price(self.model, forecast.weights)
        budget = budget_at(now_ms())
        beyond = budget.remaining is not None and price.least is not None and price.least > budget.remaining
        values = {
            **self.frame_values(),
            **_explanation(forecast),
            "price": price,
            "sharing": sharing,
            "warmth": cache_warmth(self.head.transcript, now_ms()),
            "budget": budget,
            "beyond": beyond,
            "may_exceed": budget.remaining is not None and price.most is not None and price.most > budget.remaining,
        }
        return render_page(self.request, "compaction/kinds/compact_confirm.html", values)


def _explanation(forecast: Forecast) -> dict[str, Any]:
    """The reason and the reports of the mechanisms, masked, because they quote the session."""
    if forecast.applied is None:
        return {"why": mask(forecast.refused)}
    stages = [(stage.applied, stage.mechanism, mask(stage.why)) for stage in forecast.applied.reports]
    return {"why": mask(forecast.applied.why), "stages": stages}
