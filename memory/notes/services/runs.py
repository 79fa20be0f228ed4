"""Notes of a session as runs: by a fork of the session that can edit only the notes, by a model that gets the session
as text, or without a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings

from inspector.agents.cancel import CancelToken
from inspector.agents.choosing import MECHANICAL
from inspector.agents.forks import fork
from inspector.agents.loop import AgentEnd, AgentLimits, AgentOutcome
from inspector.agents.model import Ask, Listener
from inspector.agents.tools import Edit, Toolbox, Writable
from inspector.runs.models import Run
from inspector.runs.services.active_run import ActiveRun
from inspector.runs.services.create import run_create
from inspector.runs.services.stops import RunError
from memory.extraction.engine.conversation_text import write_conversation
from memory.files.engine.disk import FileTroubleError
from memory.models import NotesUpdate
from memory.notes.engine import NotesBrokenError, RepairedNotes, fill_notes, last_summarized_after, repair_notes
from memory.notes.selectors.notes import FILE, NotesSituation, notes_prompt
from memory.notes.services.mechanical import mechanical_notes
from memory.notes.services.versions import NotesCoverage, notes_expected, notes_write
from sessions.model_requests.model_session import (
    ChosenModel,
    agent_conduct,
    describe_denials,
    describe_spending,
    model_choose,
)
from sessions.models import Transcript
from sessions.requests.selectors import ParentRequest, SharingDecision, decide_sharing, find_parent_request

KIND = "notes"
TURNS = 5
SYSTEM = "You keep the notes of a session between a user and a coding assistant."


def notes_create(*, transcript: Transcript, model: str, into_agent: bool = False, retry_of: Run | None = None) -> Run:
    """One run at a time: returns the active run of the session, if there is one."""
    return run_create(
        kind=KIND,
        target=transcript.public_id,
        target_url=f"/sessions/{transcript.public_id}/notes/",
        parameters=notes_parameters(transcript, model, into_agent=into_agent),
        retry_of=retry_of,
    )


def notes_parameters(transcript: Transcript, model: str, *, into_agent: bool = False) -> dict[str, Any]:
    return {"transcript": transcript.pk, "model": model, "into_agent": into_agent}


def notes_run(running: ActiveRun, run: Run) -> dict[str, Any]:
    running.begin_phase("reading the session")
    transcript = Transcript.objects.select_related("source").filter(pk=run.parameters["transcript"]).first()
    if transcript is None:
        raise RunError("The session is no longer in the archive.")
    if transcript.kind != Transcript.Kind.MAIN:
        raise RunError("Notes are only taken of the main thread of a session.")
    situation = NotesSituation(transcript)
    if not situation.messages:
        raise RunError("The session has no messages, so there is nothing to note.")
    name, into = run.parameters.get("model") or MECHANICAL, bool(run.parameters.get("into_agent"))
    more: dict[str, Any] = {}
    try:
        expected = notes_expected(transcript=transcript, into_agent=into)
        if name == MECHANICAL:
            running.begin_phase("putting the notes together")
            text = fill_notes(situation.text, mechanical_notes(situation.messages))
        else:
            text, name, more = _ask_model(running, run, situation, name)
        running.begin_phase("writing")
        notes, update = notes_keep(situation, text, model_name=name, run_id=run.pk, into_agent=into, expected=expected)
    except (FileTroubleError, NotesBrokenError) as error:
        raise RunError(str(error), type(error).__name__) from error
    return _result(situation, notes, update, more)


def notes_sharing(situation: NotesSituation, chosen: ChosenModel) -> tuple[SharingDecision, ParentRequest | None]:
    """Whether the update can be a fork of the session, and the request that it continues."""
    parent = find_parent_request(situation.transcript, situation.context)
    sharing = decide_sharing(parent, chosen.model, chosen.name)
    return sharing, parent if sharing.is_shared and isinstance(parent, ParentRequest) else None


def notes_message(situation: NotesSituation, prompt: str) -> str:
    """For a model that is no fork: the session as text, then the prompt."""
    return f"<conversation>\n{write_conversation(situation.messages)}\n</conversation>\n\n{prompt}"


@dataclass(frozen=True, slots=True)
class NotesWork:
    """A copy of the notes, and the prompt for the agent that edits it."""

    file: Path
    prompt: str
    edits: bool
    """Else it answers with the notes."""

    @property
    def toolbox(self) -> Toolbox:
        return Toolbox((Edit(Writable(self.file.parent, only=self.file)),) if self.edits else ())

    def text_of(self, outcome: AgentOutcome) -> str:
        if not self.edits:
            return outcome.text
        if not outcome.touched:
            raise RunError("The model has edited nothing, so the notes stay as they were.", outcome.text[:500])
        return self.file.read_text("utf-8")


@contextmanager
def notes_work(situation: NotesSituation, *, edits: bool) -> Iterator[NotesWork]:
    with TemporaryDirectory(prefix="notes-", dir=_working_folder()) as folder:
        file = Path(folder).resolve() / FILE
        file.write_text(situation.text, "utf-8")
        yield NotesWork(file, notes_prompt(situation, str(file), edits=edits), edits)


def _ask_model(running: ActiveRun, run: Run, situation: NotesSituation, name: str) -> tuple[str, str, dict[str, Any]]:
    chosen = model_choose(run, name)
    sharing, parent = notes_sharing(situation, chosen)
    with notes_work(situation, edits=chosen.model.verbatim) as work:

        def build_ask(cancel: CancelToken, listener: Listener) -> Ask:
            if parent is not None:
                own = {"role": "user", "content": [{"type": "text", "text": work.prompt}]}
                return fork(parent.params, [own], writes_cache=True, listener=listener, cancel=cancel)
            content = notes_message(situation, work.prompt)
            messages = ({"role": "user", "content": content},)
            return Ask(chosen.name, messages, system=SYSTEM, listener=listener, cancel=cancel)

        outcome = agent_conduct(
            running, chosen, build_ask, work.toolbox, limits=AgentLimits(TURNS), root=work.file.parent
        )
        text = work.text_of(outcome)
    model = parent.params.model if parent is not None else chosen.name
    return text, model, {**describe_notes_work(outcome, model), "prompt_cache": sharing.why}


def describe_notes_work(outcome: AgentOutcome, model: str) -> dict[str, Any]:
    """What the agent spent, what it was denied, and how it ended if it was not done."""
    more: dict[str, Any] = {"requests": [describe_spending(outcome, model)]}
    if refused := describe_denials(outcome):
        more["denied"] = refused
    if outcome.ended is not AgentEnd.FINISHED:
        more["ended"] = f"It was ended by its {outcome.ended}; what it had noted by then was kept."
    return more


def notes_keep(
    situation: NotesSituation, text: str, *, model_name: str, run_id: int, into_agent: bool, expected: str | None
) -> tuple[RepairedNotes, NotesUpdate]:
    """Writes the updated notes. Raises NotesBrokenError or FileTroubleError."""
    notes = repair_notes(situation.text, text)
    update = notes_write(
        transcript=situation.transcript,
        notes=notes,
        covered=_measure_coverage(situation),
        model_name=model_name,
        run_id=run_id,
        into_agent=into_agent,
        expected=expected,
    )
    return notes, update


def _measure_coverage(situation: NotesSituation) -> NotesCoverage:
    messages, last = situation.messages, situation.last_update
    position = next((message.position for message in reversed(messages) if message.position is not None), 0)
    summarized = last_summarized_after(messages, last.last_summarized if last else "")
    return NotesCoverage(position, summarized, situation.tokens)


def _result(
    situation: NotesSituation, notes: RepairedNotes, update: NotesUpdate, more: dict[str, Any]
) -> dict[str, Any]:
    page = f"/sessions/{situation.transcript.public_id}/"
    by = "mechanically, without a model" if update.model_name == MECHANICAL else f"by {update.model_name}"
    after = NotesSituation(situation.transcript)
    result: dict[str, Any] = {
        "summary": f"The notes were brought up to date {by}.",
        "notes": update.pk,
        "path": str(after.newest.path) if after.newest else "",
        "taken_by": update.model_name,
        **more,
        "links": [["The notes", f"{page}notes/"], ["The session", page]],
    }
    if notes.repairs:
        result["put_back"] = list(notes.repairs)
    if after.warnings:
        result["warnings"] = list(after.warnings)
    return result


def _working_folder() -> Path:
    folder = Path(settings.LUCID_HOME) / "working"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
