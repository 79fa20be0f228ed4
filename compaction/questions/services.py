"""Questions to one session at once, as a run: a summary, notes and memories as children of one fork. Their first
requests are sent together and differ only in the question. Afterwards each continues with its answer, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings

from compaction.kinds.engine import KindError, Parameters, kind_named
from compaction.kinds.services.make import compaction_make
from compaction.kinds.services.runs import RunWatcher
from compaction.kinds.services.summarising import ModelWriter, Summariser
from compaction.models import Compaction
from compaction.questions.engine.saving import saving_of
from compaction.questions.selectors import FULL, MEMORIES, NOTES, SUMMARY, find_askable, summary_question
from inspector.agents.cancel import CancelToken
from inspector.agents.choosing import choose_model
from inspector.agents.forks import CacheSafeParams, fork_children
from inspector.agents.loop import AgentLimits, AgentOutcome
from inspector.agents.model import Ask, Listener, Reply
from inspector.agents.together import Answered, AnsweredModel
from inspector.agents.tools import Toolbox
from inspector.budget.services import budget_hold
from inspector.runs.models import Run
from inspector.runs.services.active_run import ActiveRun
from inspector.runs.services.stops import RunError
from inspector.web.clock import now_ms
from memory.extraction.engine import ExtractionConfig
from memory.extraction.services.progress import extraction_directory
from memory.extraction.services.runs import (
    extraction_keep,
    extraction_question,
    extraction_require_model,
    extraction_stretch,
    extraction_tools,
    extraction_work,
)
from memory.files.engine.disk import FileTroubleError
from memory.notes.engine import NotesBrokenError
from memory.notes.selectors.notes import NotesSituation
from memory.notes.services.runs import TURNS, notes_keep, notes_work
from memory.notes.services.versions import notes_expected
from sessions.context.selectors.contexts import load_context, point_next
from sessions.model_requests.budgeted_model import BudgetedModel
from sessions.model_requests.model_session import ChosenModel, agent_conduct
from sessions.models import Transcript
from sessions.text.engine.words import plural

KIND = "questions"
Finish = Callable[[Ask, Answered], str]
"""Does what the answer is for, and says what came of it."""


@dataclass(frozen=True, slots=True)
class Question:
    title: str
    prompt: str
    finish: Finish


@dataclass(frozen=True, slots=True)
class _Asking:
    running: ActiveRun
    run: Run
    transcript: Transcript
    model: BudgetedModel
    name: str
    cancel: CancelToken

    def agent(self, ask: Ask, answered: Answered, toolbox: Toolbox, turns: int, root: Any) -> AgentOutcome:
        chosen = ChosenModel(AnsweredModel(self.model, answered), self.name)

        def build(cancel: CancelToken, listener: Listener) -> Ask:
            return replace(ask, cancel=cancel, listener=listener)

        return agent_conduct(self.running, chosen, build, toolbox, limits=AgentLimits(turns), root=root)


def questions_run(running: ActiveRun, run: Run) -> dict[str, Any]:
    running.begin_phase("reading the session")
    transcript = Transcript.objects.select_related("source", "project").filter(pk=run.parameters["transcript"]).first()
    if transcript is None:
        raise RunError("The session is no longer in the archive.")
    askable, choice = find_askable(transcript, now_ms()), choose_model(settings.MODELS)
    if askable.parent is None or choice.model is None:
        raise RunError(askable.why)
    extraction_require_model(transcript)
    budget_hold()
    asking = _Asking(running, run, transcript, BudgetedModel(choice.model, run.pk), askable.model, CancelToken())
    with ExitStack() as stack:
        questions = list(_prepare(asking, askable.questions, stack))
        children = _children(askable.parent.params, [question.prompt for question in questions], asking.cancel)
        running.begin_phase(f"asking {plural(len(children), 'question')} at once")
        with running.close_on_stop(asking.cancel.cancel):
            answers = asking.model.ask_together(children)
        results, failures = {}, []
        for question, ask, answered in zip(questions, children, answers, strict=True):
            try:
                results[question.title] = question.finish(ask, answered)
            except (RunError, KindError, NotesBrokenError, FileTroubleError) as error:
                results[question.title] = f"Failed: {error}"
                failures.append(f"{question.title}: {error}")
    return _result(transcript, run, askable.model, results, failures, answers)


def _children(params: CacheSafeParams, prompts: list[str], cancel: CancelToken) -> tuple[Ask, ...]:
    *before, last = params.messages
    if last.get("role") == "assistant":
        return fork_children(replace(params, messages=tuple(before)), last, prompts, cancel=cancel)
    return fork_children(params, None, prompts, cancel=cancel)


def _prepare(asking: _Asking, titles: tuple[str, ...], stack: ExitStack) -> Iterator[Question]:
    makers = {SUMMARY: _ask_summary, NOTES: _ask_notes, MEMORIES: _ask_memories}
    for title in titles:
        question = makers[title](asking, stack)
        if question is not None:
            yield question


def _ask_summary(asking: _Asking, _stack: ExitStack) -> Question:
    transcript = asking.transcript
    context = load_context(transcript, point_next(transcript))

    def finish(_ask: Ask, answered: Answered) -> str:
        watcher = RunWatcher(asking.running, lambda _phase: None)
        writer = ModelWriter(AnsweredModel(asking.model, answered), asking.name, watcher, asking.cancel)
        made = compaction_make(
            transcript=transcript,
            kind=kind_named(FULL),
            parameters=Parameters(),
            summariser=Summariser(asking.name, "It was asked at once with other questions.", writer),
            now_ms=now_ms(),
            run_id=asking.run.pk,
            watcher=watcher,
        )
        why: str = made.report["why"]
        if made.report["failed"]:
            raise RunError(why)
        return why

    return Question(SUMMARY, summary_question(context, now_ms()), finish)


def _ask_notes(asking: _Asking, stack: ExitStack) -> Question:
    situation = NotesSituation(asking.transcript)
    expected = notes_expected(transcript=asking.transcript)
    work = stack.enter_context(notes_work(situation, edits=True))

    def finish(ask: Ask, answered: Answered) -> str:
        outcome = asking.agent(ask, answered, work.toolbox, TURNS, work.file.parent)
        notes_keep(
            situation,
            work.text_of(outcome),
            model_name=asking.name,
            run_id=asking.run.pk,
            into_agent=False,
            expected=expected,
        )
        return f"The notes were brought up to date by {asking.name}."

    return Question(NOTES, work.prompt, finish)


def _ask_memories(asking: _Asking, stack: ExitStack) -> Question | None:
    directory = extraction_directory(transcript=asking.transcript)
    stretch = extraction_stretch(asking.run, asking.transcript, directory)
    if isinstance(stretch, dict):
        return None  # it was searched since the page was shown
    work = stack.enter_context(extraction_work(directory))
    tools = extraction_tools(asking.transcript, work.copy)

    def finish(ask: Ask, answered: Answered) -> str:
        outcome = asking.agent(ask, answered, tools, ExtractionConfig().turns, work.copy)
        kept = extraction_keep(asking.transcript, directory, stretch, work, outcome, asking.run.pk)
        summary: str = kept["summary"]
        return summary

    return Question(MEMORIES, extraction_question(stretch, work.copy, forked=True), finish)


def _result(
    transcript: Transcript,
    run: Run,
    model: str,
    results: dict[str, str],
    failures: list[str],
    answers: tuple[Answered, ...],
) -> dict[str, Any]:
    usages = [answered.outcome.usage for answered in answers if isinstance(answered.outcome, Reply)]
    saving = saving_of(model, usages)
    page = f"/sessions/{transcript.public_id}/"
    links: list[list[str]] = [["The notes", f"{page}notes/"], ["The session", page]]
    if Compaction.objects.filter(run_id=run.pk).exists():
        links.insert(0, ["Before and after", f"{page}compactions/run-{run.pk}/"])
    result: dict[str, Any] = {
        "summary": f"Asked {plural(len(answers), 'question')} at once.",
        **results,
        "prompt_cache": saving.sentence,
        "links": links,
    }
    if len(failures) == len(answers):
        raise RunError(f"None of the questions was answered. {failures[0]}", result=result)
    if failures:
        result["alarm"] = " ".join(failures)
    return result
