"""Asks the smallest model what agents are doing, with one request each, and stores its answers."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from inspector.agents.cancel import CancelToken
from inspector.agents.choosing import MECHANICAL, choice_of, choose_model
from inspector.agents.errors import BadRequestError, ModelError, RefusedError
from inspector.agents.forks import ForkRefusedError, fork
from inspector.agents.model import Ask, LanguageModel
from inspector.budget.billing import run_bill
from inspector.budget.services import budget_hold
from inspector.runs.models import Run
from inspector.runs.services import ActiveRun, RunError, run_create
from inspector.web.clock import now_ms
from sessions.agents.engine.activity import ANSWER_TOKENS, clean_answer, fork_question
from sessions.agents.selectors.activity import KIND, Activity, load_activities
from sessions.agents.selectors.tree import Agent, load_agents
from sessions.model_requests.budgeted_model import BudgetedModel
from sessions.models import AgentSummary, Transcript
from sessions.text.engine.words import plural, tokens
from sessions.usage.engine.usage import Usage

NO_MODEL = (
    "Set ANTHROPIC_API_KEY, or install the claude command, and start Lucid again: then the smallest model"
    " (LUCID_SMALL_MODEL) can be asked."
)
MAX_CHARS = 200
NO_WORDS = ("", "", Usage())


def agent_summaries_create(*, session: Transcript, keys: list[str], forks: bool = True) -> Run:
    """A run that asks about these agents; `forks`: as forks of their own requests, where those are still cached. Raises
    RunError if no model can be asked."""
    if choice_of(settings.MODELS).kind == MECHANICAL:
        raise RunError(f"No model can be asked. {NO_MODEL}")
    budget_hold()
    return run_create(
        kind=KIND,
        target=session.name or session.public_id,
        target_url=f"/sessions/{session.public_id}/agents/",
        parameters={"session": session.pk, "agents": keys, "forks": forks},
    )


def agent_summaries_run(running: ActiveRun, run: Run) -> dict[str, Any]:
    """Answers stay if the run fails or is killed later."""
    session = Transcript.objects.select_related("source").filter(pk=run.parameters["session"]).first()
    if session is None:
        raise RunError("The session is no longer in the archive.")
    choice = choose_model(settings.MODELS)
    if choice.model is None:
        raise RunError(f"No model can be asked. {NO_MODEL}", choice.why)
    model = BudgetedModel(choice.model, run.pk)
    keys = set(run.parameters["agents"])
    forks_at = now_ms() if run.parameters.get("forks") and model.verbatim else None
    agents = _select_agents(session, keys)
    due = [activity for activity in load_activities(session, agents, forks_at=forks_at) if activity.is_due]
    forked = Usage()
    running.begin_phase("asking", total=len(due), unit="agents")
    for activity in due:
        running.check()
        words, name, usage = _ask_fork(running, model, activity) if activity.fork is not None else NO_WORDS
        forked += usage
        if not words:
            words, name = _ask(running, model, choice.small, activity)
        _store_summary(activity.agent, words, name, run)
        running.add_turn(f"{activity.agent.name}: {words}")
        running.advance()
    summary = f"Asked about {plural(len(due), 'agent')}." if due else "Nothing has happened since they were asked."
    result = {"summary": summary, "agents": len(due)}
    if any(activity.fork is not None for activity in due):
        result["prompt_cache"] = _describe_sharing(due, forked)
    return {**result, "links": [["The agents", f"/sessions/{session.public_id}/agents/"]]}


def _describe_sharing(due: list[Activity], forked: Usage) -> str:
    count = sum(activity.fork is not None for activity in due)
    return (
        f"{count} of {plural(len(due), 'agent')} {'was' if count == 1 else 'were'} asked as a fork of its own request:"
        f" {tokens(forked.cache_read)} of {tokens(forked.context)} tokens came from the prompt cache."
    )


def _ask_fork(running: ActiveRun, model: LanguageModel, activity: Activity) -> tuple[str, str, Usage]:
    """Without words where the fork is refused, or calls a tool instead of answering: then the small model is asked."""
    assert activity.fork is not None
    previous = activity.summary.words if activity.summary is not None else ""
    own = {"role": "user", "content": [{"type": "text", "text": fork_question(previous)}]}
    name, cancel = activity.fork.model, CancelToken()
    with running.close_on_stop(cancel.cancel):
        try:
            reply = model.ask(fork(activity.fork.parent.params, [own], cancel=cancel))
        except (BadRequestError, RefusedError, ForkRefusedError) as error:
            running.add_turn(f"{activity.agent.name}: the fork was not answered. {error}")
            return NO_WORDS
        except ModelError as error:
            raise _failure(running, name, error) from error
    run_bill(running=running, model=reply.model or name, usage=reply.usage, reported_cost=reply.cost_usd)
    return clean_answer(reply.text)[:MAX_CHARS], reply.model or name, reply.usage


def _failure(running: ActiveRun, name: str, error: ModelError) -> RunError:
    if error.usage is not None:
        run_bill(running=running, model=name, usage=error.usage)
    return RunError(f"{error} What was answered before is kept.", type(error).__name__)


def _select_agents(session: Transcript, keys: set[str]) -> list[Agent]:
    agents = [agent for agent in load_agents(session) if agent.key in keys]
    if not agents:
        raise RunError("None of these agents is in the archive any more.")
    return agents


def _ask(running: ActiveRun, model: LanguageModel, name: str, activity: Activity) -> tuple[str, str]:
    cancel = CancelToken()
    request = Ask(
        name,
        ({"role": "user", "content": activity.question.prompt},),
        system=activity.question.system,
        max_tokens=ANSWER_TOKENS,
        cancel=cancel,
    )
    with running.close_on_stop(cancel.cancel):
        try:
            reply = model.ask(request)
        except ModelError as error:
            raise _failure(running, name, error) from error
    run_bill(running=running, model=reply.model or name, usage=reply.usage, reported_cost=reply.cost_usd)
    words = clean_answer(reply.text)[:MAX_CHARS]
    if not words:
        raise RunError("The model answered without a word. What was answered before is kept.")
    return words, reply.model or name


def _store_summary(agent: Agent, words: str, model: str, run: Run) -> None:
    AgentSummary.objects.update_or_create(
        transcript=agent.transcript,
        start=agent.start,
        position=agent.end,
        defaults={"words": words, "model": model[:120], "made_at": now_ms(), "run": run},
    )
