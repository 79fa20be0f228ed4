"""Asks the smallest model what agents are doing, one request each, and keeps its few words."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from inspector.agents.cancel import CancelToken
from inspector.agents.choosing import MECHANICAL, choice_of, choose_model
from inspector.agents.errors import ModelError
from inspector.agents.model import Ask, LanguageModel
from inspector.budget.billing import run_bill
from inspector.budget.services import budget_hold
from inspector.runs.models import Run
from inspector.runs.services import ActiveRun, RunError, run_create
from inspector.web.clock import now_ms
from sessions.agents.engine.activity import ANSWER_TOKENS, tidy
from sessions.agents.selectors.activity import KIND, Doing, doing_of
from sessions.agents.selectors.tree import Agent, agents_of
from sessions.model_requests.budgeted_model import BudgetedModel
from sessions.models import AgentSummary, Transcript
from sessions.text.engine.words import plural

NO_MODEL = (
    "Set ANTHROPIC_API_KEY, or install the claude command, and start Lucid again: then the smallest model"
    " (LUCID_SMALL_MODEL) can be asked."
)
LONGEST = 200


def agent_summaries_create(*, session: Transcript, keys: list[str]) -> Run:
    """A run that asks about these agents. Raises RunError if there is nobody to ask."""
    if choice_of(settings.MODELS).kind == MECHANICAL:
        raise RunError(f"No model can be asked. {NO_MODEL}")
    budget_hold()
    return run_create(
        kind=KIND,
        target=session.name or session.public_id,
        target_url=f"/sessions/{session.public_id}/agents/",
        parameters={"session": session.pk, "agents": keys},
    )


def agent_summaries_run(running: ActiveRun, run: Run) -> dict[str, Any]:
    """What was answered before it failed or was killed is kept."""
    session = Transcript.objects.select_related("source").filter(pk=run.parameters["session"]).first()
    if session is None:
        raise RunError("The session is no longer in the archive.")
    choice = choose_model(settings.MODELS)
    if choice.model is None:
        raise RunError(f"No model can be asked. {NO_MODEL}", choice.why)
    model = BudgetedModel(choice.model, run.pk)
    keys = set(run.parameters["agents"])
    due = [one for one in doing_of(session, _wanted(session, keys)) if one.due]
    running.begin_phase("asking", total=len(due), unit="agents")
    for one in due:
        running.check()
        words, name = _ask(running, model, choice.small, one)
        _keep(one.agent, words, name, run)
        running.add_turn(f"{one.agent.name}: {words}")
        running.advance()
    told = f"Asked about {plural(len(due), 'agent')}." if due else "Nothing has happened since they were asked."
    return {
        "summary": told,
        "agents": len(due),
        "links": [["The agents", f"/sessions/{session.public_id}/agents/"]],
    }


def _wanted(session: Transcript, keys: set[str]) -> list[Agent]:
    found = [one for one in agents_of(session) if one.key in keys]
    if not found:
        raise RunError("None of these agents is in the archive any more.")
    return found


def _ask(running: ActiveRun, model: LanguageModel, name: str, one: Doing) -> tuple[str, str]:
    cancel = CancelToken()
    asked = Ask(
        name,
        ({"role": "user", "content": one.question.prompt},),
        system=one.question.system,
        max_tokens=ANSWER_TOKENS,
        cancel=cancel,
    )
    with running.close_on_stop(cancel.cancel):
        try:
            reply = model.ask(asked)
        except ModelError as error:
            if error.usage is not None:
                run_bill(running=running, model=name, usage=error.usage)
            raise RunError(f"{error} What was answered before is kept.", type(error).__name__) from error
    run_bill(running=running, model=reply.model or name, usage=reply.usage, reported_cost=reply.cost_usd)
    words = tidy(reply.text)[:LONGEST]
    if not words:
        raise RunError("The model answered without a word. What was answered before is kept.")
    return words, reply.model or name


def _keep(agent: Agent, words: str, model: str, run: Run) -> None:
    AgentSummary.objects.update_or_create(
        transcript=agent.transcript,
        start=agent.start,
        position=agent.end,
        defaults={"words": words, "model": model[:120], "made_at": now_ms(), "run": run},
    )
