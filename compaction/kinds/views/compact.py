"""Compacting a session: what each kind would do to it, with which settings, and the start of it as a run.

Looking is a GET, with everything in the address. Only the button that starts it posts; a model is asked only after its
price was shown and confirmed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django_htmx.http import replace_url

from compaction.hooks.selectors import HookConfiguration, Scope, hooks_of
from compaction.kinds.engine import all_kinds
from compaction.kinds.selectors.forecast import Forecast
from compaction.kinds.selectors.form import Situation
from compaction.kinds.services.runs import KIND
from compaction.kinds.views.form import (
    LONGEST_INSTRUCTIONS,
    CompactionForm,
    form_of,
    form_of_run,
)
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
from sessions.secrets.engine import mask
from sessions.transcripts.selectors.extent import is_large
from sessions.transcripts.selectors.session import SessionHead, session_head
from sessions.usage.engine.price_forecast import forecast_price


@require_http_methods(["GET", "HEAD", "POST"])
def transcript_compact(request: HtmxRequest, session: str) -> HttpResponse:
    head = session_head(session, now_ms())
    form = _asked(request, head)
    situation = Situation(head.transcript)
    page = _Page(request, head, form, situation)
    if (elsewhere := page.elsewhere()) is not None:
        return elsewhere
    if request.method == "POST":
        return page.start()
    return page.show()


def _asked(request: HtmxRequest, head: SessionHead) -> CompactionForm:
    if request.method == "POST":
        return form_of(request.POST)
    again = query_number(request, "again")
    if again is not None and "kind" not in request.GET:
        run = Run.objects.filter(pk=again, kind=KIND).first()
        if run is not None and run.parameters.get("transcript") == head.transcript.pk:
            return form_of_run(run)
    return form_of(request.GET)


def confirmation_of(run: Run) -> str | None:
    """Where a run that asks a model or runs hooks is started again: price and commands are shown anew. None if it does
    neither."""
    if run.parameters.get("model", "") in ("", MECHANICAL) and run.parameters.get("hooks", Scope.OFF) == Scope.OFF:
        return None
    found = Transcript.objects.filter(pk=run.parameters.get("transcript")).values_list("public_id", flat=True).first()
    return None if found is None else f"{reverse('transcript-compact', args=[found])}?again={run.pk}"


class _Page:
    def __init__(self, request: HtmxRequest, head: SessionHead, form: CompactionForm, situation: Situation) -> None:
        self.request = request
        self.head = head
        self.form = form
        self.situation = situation
        self.choice = choice_of(settings.MODELS)
        self.sought = situation.sought(form.pivot, form.kind.direction) if form.kind.direction else None
        if form.kind.picks_turns:
            form.ids, self.told = situation.turns_named(form.ids)
        else:
            self.told = []

    def elsewhere(self) -> HttpResponse | None:
        """The form of the transcript that the message belongs to."""
        owner = self.sought.owner if self.sought else None
        if owner is None:
            return None
        return HttpResponseRedirect(f"{reverse('transcript-compact', args=[owner.public_id])}?{self.form.query}")

    # --- looking --------------------------------------------------------------------------------------------------
    def show(self, *, status: int = 200) -> HttpResponse:
        alone = wants_partial(self.request, "forecast")
        on_demand = alone or self.request.GET.get("forecast") == "1"
        values = {**self.frame(), **self.forecast_shown(on_demand=on_demand), "alone": alone}
        if not alone:
            values |= self.lists()
        response = render_page(self.request, "compact.html", values, partials=("forecast", "compact"))
        response.status_code = status
        return replace_url(response, f"{self.request.path}?{self.form.query}") if alone else response

    def frame(self) -> dict[str, Any]:
        form = self.form
        return {
            "section": "sessions",
            "tab": "compact",
            "head": self.head,
            "session": self.head.transcript,
            "root": session_root(self.head.transcript),
            "form": form,
            "kinds": [(kind, form.query_of(kind)) for kind in all_kinds()],
            "choice": self.choice,
            "destination": destination(self.choice),
            "budget": budget_at(now_ms()) if form.kind.summarises else None,
            "model": self.model,
            "longest": LONGEST_INSTRUCTIONS,
            "hooks": self.hooks_shown() if form.kind.runs_hooks else None,
        }

    @cached_property
    def hooks(self) -> HookConfiguration:
        return hooks_of(self.head.transcript, str(self.form.kind.trigger))

    def hooks_shown(self) -> dict[str, Any]:
        """The commands that would run around it, by whose they are: nobody runs what was not shown."""
        found = self.hooks
        return {
            "shown": [(hook, mask(hook.command)) for hook in found.hooks],
            "problems": found.problems,
            "theirs": any(not Scope.USER.covers(hook.origin) for hook in found.hooks),
            "running": [(hook, mask(hook.command)) for hook in found.allowed_by(self.form.hooks)],
            "fingerprint": found.fingerprint,
        }

    def lists(self) -> dict[str, Any]:
        number = query_number(self.request, "page")
        form = self.form
        if form.kind.picks_turns:
            page, rows = self.situation.turn_page(form.ids, number)
        elif form.kind.direction and self.sought is not None:
            page, rows = self.situation.cut_page(self.sought.cut, form.kind.direction, number)
        else:
            return {}
        shown = {row.uuid for row in rows}
        elsewhere = [one for one in form.ids if one not in shown]
        return {"page": page, "rows": rows, "elsewhere": elsewhere, "sought": self.sought, "told": self.told}

    def forecast_shown(self, *, on_demand: bool) -> dict[str, Any]:
        """Large sessions wait until they are asked for it."""
        if self.form.errors or self.lacks():
            return {"lacks": self.lacks()}
        if is_large(self.head.transcript) and not on_demand:
            return {"waiting": True}
        found = self.forecast()
        values: dict[str, Any] = {"forecast": found, **_said(found)}
        if found.applied is not None:
            kept, freed = found.applied.tokens_after, max(0, found.freed)
            values["bar"] = token_bar([("kept", "left", kept), ("freed", "freed", freed)])
        if self.form.asks:
            values["price"] = forecast_price(self.model, found.weights)
        return values

    def forecast(self, *, shared: bool = False) -> Forecast:
        return self.situation.forecast(
            self.form.kind, self.form.parameters(), asking=self.form.asks, shared=shared, now_ms=now_ms()
        )

    def lacks(self) -> str:
        """What has to be chosen first."""
        if self.form.kind.picks_turns and not self.form.ids:
            return "Pick the turns that should go."
        if self.sought is not None and not self.sought.cut:
            return "Pick the message at which it is cut."
        return ""

    @property
    def model(self) -> str:
        return self.form.model_asked(self.choice.main)

    # --- starting -------------------------------------------------------------------------------------------------
    def start(self) -> HttpResponse:
        form = self.form
        if self.lacks():
            form.errors["pivot" if form.kind.needs_pivot else "ids"] = self.lacks()
        if form.asks and self.choice.kind == MECHANICAL:
            form.errors["model"] = f"No model can be asked. {self.choice.why}"
        if form.hooked and form.hooks_seen != self.hooks.fingerprint:
            form.errors["hooks"] = "They are not the ones that were shown. Look at them again before any of them runs."
        if form.errors:
            return self.show(status=UNFIT)
        if form.asks:
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
            parameters=form.of_run(self.head.transcript.pk, self.model),
            retry_of=Run.objects.filter(pk=form.again, kind=KIND).first() if form.again else None,
        )
        response = HttpResponseRedirect(reverse("run-detail", args=[run.pk]))
        response.status_code = 303
        return response

    def confirm(self) -> HttpResponse:
        """What would be sent, to whom, and for how much. Nothing has been sent yet."""
        sharing = find_sharing(self.head.transcript, self.model)
        found = self.forecast(shared=sharing.is_shared)
        price = forecast_price(self.model, found.weights)
        budget = budget_at(now_ms())
        beyond = budget.remaining is not None and price.least is not None and price.least > budget.remaining
        values = {
            **self.frame(),
            **_said(found),
            "price": price,
            "sharing": sharing,
            "budget": budget,
            "beyond": beyond,
            "may_exceed": budget.remaining is not None and price.most is not None and price.most > budget.remaining,
        }
        return render_page(self.request, "compact_confirm.html", values)


def _said(found: Forecast) -> dict[str, Any]:
    """Why, and what each mechanism says: they quote the session."""
    if found.applied is None:
        return {"why": mask(found.refused)}
    stages = [(one.applied, one.mechanism, mask(one.why)) for one in found.applied.reports]
    return {"why": mask(found.applied.why), "stages": stages}
