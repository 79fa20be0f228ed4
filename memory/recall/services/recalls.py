"""Asks the small model which memories a message needs, as a run: it costs money and can be stopped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils import timezone

from inspector.agents.cancel import CancelToken
from inspector.agents.choosing import MECHANICAL, choice_of, choose_model
from inspector.agents.errors import ModelError
from inspector.agents.model import Ask, LanguageModel, Reply
from inspector.budget.billing import run_bill
from inspector.budget.services import budget_hold
from inspector.runs.models import Run
from inspector.runs.services import ActiveRun, RunError, run_create
from memory.files.engine.disk import FileTroubleError, Folder
from memory.files.selectors.directories import name_of
from memory.models import Directory
from memory.recall.engine import (
    ANSWER_TOKENS,
    Choice,
    ChosenMemory,
    PreparedRecall,
    RecallState,
    prepare_recall,
    read_answer,
    scan_memory,
    state_of,
)
from memory.recall.engine.model_prompt import LONGEST_MESSAGE
from memory.recall.selectors.sessions import Message, events_of
from sessions.model_requests.budgeted_model import BudgetedModel
from sessions.models import Transcript
from sessions.text.engine.storable import storable_text
from sessions.transcripts.engine.paths import decode_path

KIND = "recall"
NO_MODEL = (
    "Set ANTHROPIC_API_KEY, or install the claude command, and start Lucid again: then the smallest model"
    " (LUCID_SMALL_MODEL) can be asked."
)


def recall_create(*, directory: Directory, text: str, message: Message | None = None) -> Run:
    """A run that asks the small model. `message`: the message of a session that has the text. Raises RunError if there
    is no model, or the budget is used up."""
    if choice_of(settings.MODELS).kind == MECHANICAL:
        raise RunError(f"No model can be asked. {NO_MODEL}")
    budget_hold()
    parameters = {**parameters_of(directory.path, text), "directory": directory.pk}
    if message is not None:
        parameters |= {"session": message.transcript.public_id, "entry": message.address, "position": message.position}
    return run_create(kind=KIND, target=name_of(directory), target_url=bench_url(directory), parameters=parameters)


def parameters_of(path: str, text: str) -> dict[str, Any]:
    """The message is cut to what a model would be sent, in a form that can be stored."""
    return {"path": path, "text": storable_text(text[:LONGEST_MESSAGE])}


def recall_run(running: ActiveRun, run: Run) -> dict[str, Any]:
    parameters = run.parameters
    running.begin_phase("scanning the memory")
    try:
        with Folder(decode_path(parameters["path"])) as folder:
            prepared = prepare_recall(scan_memory(folder), parameters["text"], _load_state(parameters), timezone.now())
    except FileTroubleError as error:
        raise RunError(str(error)) from error
    if prepared.why_not:
        raise RunError(f"No model was asked. {prepared.why_not}")
    if not prepared.candidates:
        raise RunError("No model was asked: there is no memory that the session does not have already.")
    choice = _choose(running, run, prepared)
    return _result(run, prepared, choice)


def _load_state(parameters: dict[str, Any]) -> RecallState:
    """The state of the session when the message was sent."""
    if "session" not in parameters:
        return RecallState()
    directory = Directory.objects.filter(pk=parameters["directory"]).first()
    transcript = Transcript.objects.filter(public_id=parameters["session"]).first()
    if directory is None or transcript is None:
        raise RunError("The session is no longer in the archive.")
    return state_of(events_of(directory, transcript, until=parameters["position"]))


def _choose(running: ActiveRun, run: Run, prepared: PreparedRecall) -> Choice:
    choice = choose_model(settings.MODELS)
    if choice.model is None:
        raise RunError(f"No model can be asked. {NO_MODEL}", choice.why)
    name = str(run.parameters.get("model") or choice.small)
    running.begin_phase(f"asking {name}")
    reply = _reply(running, BudgetedModel(choice.model, run.pk), name, prepared)
    model = reply.model or name
    run_bill(running=running, model=model, usage=reply.usage, reported_cost=reply.cost_usd)
    running.add_turn(reply.text)
    return read_answer(reply.text, prepared.names, model)


def _reply(running: ActiveRun, model: LanguageModel, name: str, prepared: PreparedRecall) -> Reply:
    cancel = CancelToken()
    question = prepared.question
    ask = Ask(
        name,
        ({"role": "user", "content": question.prompt},),
        system=question.system,
        max_tokens=ANSWER_TOKENS,
        cancel=cancel,
    )
    with running.close_on_stop(cancel.cancel):
        try:
            return model.ask(ask)
        except ModelError as error:
            if error.usage is not None:
                run_bill(running=running, model=name, usage=error.usage)
            raise RunError(str(error), type(error).__name__) from error


def _result(run: Run, prepared: PreparedRecall, choice: Choice) -> dict[str, Any]:
    names = [memory.name for memory in choice.chosen]
    result: dict[str, Any] = {
        "summary": f"{choice.by} chose {', '.join(names)}." if names else f"{choice.by} chose nothing.",
        "considered": len(prepared.candidates),
        "model": choice.by,
        "chosen": names,
        "refused": list(choice.refused),
        "problem": choice.problem,
    }
    if choice.problem:
        result["alarm"] = choice.problem
    if "directory" in run.parameters:
        result["links"] = [["The recall", f"/memory/{run.parameters['directory']}/recall/?run={run.pk}"]]
    return result


def read_choice(result: Mapping[str, Any]) -> Choice:
    """The choice that a run recorded."""
    model = str(result["model"])
    named = tuple(ChosenMemory(name, f"named by {model}") for name in result["chosen"])
    return Choice(model, named, tuple(result["refused"]), str(result["problem"]))


def bench_url(directory: Directory) -> str:
    return f"/memory/{directory.pk}/recall/"
