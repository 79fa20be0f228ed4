"""Extractions as runs: a model searches a session for what is worth remembering. It works on a copy of the memory
directory; its changes become a proposal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from inspector.agents.cancel import CancelToken
from inspector.agents.choosing import MECHANICAL, choice_of
from inspector.agents.forks import fork
from inspector.agents.loop import AgentEnd, AgentLimits, AgentOutcome
from inspector.agents.model import Ask, Listener
from inspector.agents.tools import Edit, Glob, Grep, Read, Readable, Shell, Toolbox, Writable, Write
from inspector.runs.models import Run
from inspector.runs.services.active_run import ActiveRun
from inspector.runs.services.create import ACTIVE, run_create
from inspector.runs.services.stops import RunError
from memory.extraction.engine import SYSTEM, ExtractionConfig, extraction_prompt, find_source
from memory.extraction.engine.conversation_text import write_conversation
from memory.extraction.selectors import NoMemoryError, extraction_decide, load_messages
from memory.extraction.services.progress import (
    extraction_dequeue,
    extraction_directory,
    extraction_enqueue,
    extraction_move,
)
from memory.files.engine.disk import FileTroubleError
from memory.files.engine.locations import find_canonical_root
from memory.files.engine.newlines import text_for_editing
from memory.files.engine.reading import read_directory
from memory.files.selectors.disk_contents import read_contents
from memory.history.services.touch_index import touches_index
from memory.models import Directory, Proposal
from memory.proposals.engine.hunks import split_hunks
from memory.proposals.selectors.proposals import Source
from memory.proposals.services.proposals import FileReason, proposal_create
from memory.proposals.services.working_copy import copy_make
from sessions.context.selectors.contexts import load_context, point_next
from sessions.model_requests.model_session import (
    ChosenModel,
    agent_conduct,
    describe_denials,
    describe_spending,
    model_choose,
)
from sessions.models import Transcript
from sessions.requests.selectors import ParentRequest, decide_sharing, find_parent_request
from sessions.text.engine.words import plural
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.transcripts.engine.paths import decode_path

KIND = "extraction"
NO_MODEL = (
    "Only a model can tell what is worth remembering: set ANTHROPIC_API_KEY and start Lucid again. Nothing was changed."
)
NO_TOOLS = (
    "The claude command cannot use the tools of Lucid, so it can extract no memories: set ANTHROPIC_API_KEY. Nothing "
    "was changed."
)


@dataclass(frozen=True, slots=True)
class ExtractionRequest:
    run: Run
    waits: bool
    """`run` is an earlier, active one; this request starts after it, unless a newer one comes."""


@dataclass(frozen=True, slots=True)
class ExtractionStretch:
    messages: list[Message]
    stop: int
    is_chosen: bool
    """A person chose the stretch; otherwise it starts where the last extraction ended."""


def extraction_request(
    *,
    transcript: Transcript,
    model: str,
    first: int | None = None,
    last: int | None = None,
    retry_of: Run | None = None,
) -> ExtractionRequest:
    """Raises RunError if no model can be asked."""
    extraction_require_model()
    request = extraction_parameters(transcript, model, first, last)
    busy = _active_runs(transcript).first()
    start = extraction_enqueue(transcript=transcript, request=request, busy=busy is not None)
    if start is None and busy is not None:
        return ExtractionRequest(busy, True)
    return ExtractionRequest(_create(transcript, request, retry_of), False)


def extraction_parameters(
    transcript: Transcript, model: str, first: int | None = None, last: int | None = None
) -> dict[str, Any]:
    stretch = {name: value for name, value in (("first", first), ("last", last)) if value is not None}
    return {"transcript": transcript.pk, "model": model, **stretch}


def extraction_require_model(transcript: Transcript | None = None) -> None:
    """Raises RunError if no model can be asked, or an extraction of `transcript` is active."""
    kind = choice_of(settings.MODELS).kind
    if kind != "anthropic":
        raise RunError(NO_TOOLS if kind == "claude" else NO_MODEL)
    busy = _active_runs(transcript).first() if transcript is not None else None
    if busy is not None:
        raise RunError(f"Memories are being extracted from this session already, by run {busy.pk}.")


def extraction_run(running: ActiveRun, run: Run) -> dict[str, Any]:
    running.begin_phase("reading the session")
    rows = Transcript.objects.select_related("source", "project")
    transcript = rows.filter(pk=run.parameters["transcript"]).first()
    if transcript is None:
        raise RunError("The session is no longer in the archive.")
    try:
        return _extract(running, run, transcript)
    except (FileTroubleError, NoMemoryError) as error:
        raise RunError(str(error), type(error).__name__) from error
    finally:
        # However this run ended, the waiting request comes next.
        waiting = extraction_dequeue(transcript=transcript)
        if waiting is not None:
            _create(transcript, waiting)


def _extract(running: ActiveRun, run: Run, transcript: Transcript) -> dict[str, Any]:
    if run.parameters.get("model") in ("", MECHANICAL, None):
        raise RunError(NO_MODEL)
    directory = extraction_directory(transcript=transcript)
    touches_index(transcripts=[transcript.pk])
    stretch = extraction_stretch(run, transcript, directory)
    if isinstance(stretch, dict):
        return stretch
    chosen = model_choose(run, run.parameters["model"])
    if not chosen.model.verbatim:
        raise RunError(NO_TOOLS)
    with extraction_work(directory) as work:
        outcome, more = _ask_model(running, chosen, transcript, stretch, work.copy)
        running.begin_phase("comparing")
        return extraction_keep(transcript, directory, stretch, work, outcome, run.pk) | more


@dataclass(frozen=True, slots=True)
class ExtractionWork:
    copy: Path
    """Of the memory, which the agent may change."""
    before: dict[str, bytes]


@contextmanager
def extraction_work(directory: Directory) -> Iterator[ExtractionWork]:
    working = Path(settings.LUCID_HOME) / "working"
    working.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="extraction-", dir=working) as folder:
        copy = Path(folder).resolve() / "memory"
        yield ExtractionWork(copy, copy_make(directory=directory, to=copy))


def extraction_keep(
    transcript: Transcript,
    directory: Directory,
    stretch: ExtractionStretch,
    work: ExtractionWork,
    outcome: AgentOutcome,
    run_id: int,
) -> dict[str, Any]:
    """Proposes what came of it, and notes how far the session was looked through."""
    after = read_contents(path=work.copy)
    proposal = proposal_create(
        directory=directory,
        kind=Proposal.Kind.EXTRACTION,
        before=work.before,
        after=after,
        reasons=_reasons(transcript, stretch, work.before, after, outcome.text),
        run_id=run_id,
        message=outcome.text,
    )
    verdict = f"proposes {plural(proposal.files.count(), 'file')}" if proposal else "found nothing worth remembering"
    summary = f"Looked at {plural(len(stretch.messages), 'message')} and {verdict}."
    if not stretch.is_chosen:
        extraction_move(transcript=transcript, position=stretch.stop, why=summary)
    return _result(transcript, summary, proposal)


def extraction_stretch(run: Run, transcript: Transcript, directory: Directory) -> ExtractionStretch | dict[str, Any]:
    """The stretch to search, or the result of the run if there is nothing to search."""
    first, last = run.parameters.get("first"), run.parameters.get("last")
    if first is not None or last is not None:
        start, stop = first or 0, transcript.entries if last is None else last + 1
        messages = load_messages(transcript, start, stop)
        if not messages:
            raise RunError(f"Between the entries {start} and {stop - 1} nothing was said.")
        return ExtractionStretch(messages, stop, True)
    decision = extraction_decide(transcript, decode_path(directory.path))
    if decision.is_due:
        return ExtractionStretch(load_messages(transcript, decision.start, decision.stop), decision.stop, False)
    if decision.moves_cursor:
        extraction_move(transcript=transcript, position=decision.stop, why=decision.why)
    return _result(transcript, f"Nobody was asked. {decision.why}", None) | {"skipped": decision.why}


def _ask_model(
    running: ActiveRun, chosen: ChosenModel, transcript: Transcript, stretch: ExtractionStretch, copy: Path
) -> tuple[AgentOutcome, dict[str, Any]]:
    context = load_context(transcript, point_next(transcript))
    parent = find_parent_request(transcript, context)
    sharing = decide_sharing(parent, chosen.model, chosen.name)
    # A fork sees the whole session, except what was compacted.
    sent = {message.uuid for message in context.messages}
    whole = not stretch.is_chosen and all(message.uuid in sent for message in stretch.messages)
    forked = parent if sharing.is_shared and whole and isinstance(parent, ParentRequest) else None
    prompt = extraction_question(stretch, copy, forked=forked is not None)

    def build_ask(cancel: CancelToken, listener: Listener) -> Ask:
        if forked is not None:
            own = {"role": "user", "content": [{"type": "text", "text": prompt}]}
            return fork(forked.params, [own], writes_cache=True, listener=listener, cancel=cancel)
        content = f"<conversation>\n{write_conversation(stretch.messages)}\n</conversation>\n\n{prompt}"
        messages = ({"role": "user", "content": content},)
        return Ask(chosen.name, messages, system=SYSTEM, listener=listener, cancel=cancel)

    limits = AgentLimits(ExtractionConfig().turns)
    outcome = agent_conduct(running, chosen, build_ask, extraction_tools(transcript, copy), limits=limits, root=copy)
    model = forked.params.model if forked is not None else chosen.name
    why = (
        sharing.why if whole or not sharing.is_shared else "Only a part of the session is looked at, so it is no fork."
    )
    more: dict[str, Any] = {"requests": [describe_spending(outcome, model)], "prompt_cache": why}
    if refused := describe_denials(outcome):
        more["denied"] = refused
    if outcome.ended is not AgentEnd.FINISHED:
        more["ended"] = f"It was ended by its {outcome.ended}; what it had written by then is in the proposal."
    return outcome, more


def extraction_tools(transcript: Transcript, copy: Path) -> Toolbox:
    """Tools that read the copy and the project's checkout, and write only the copy."""
    cwd = decode_path(transcript.project.cwd) if transcript.project.cwd else None
    root = find_canonical_root(cwd) if cwd is not None and cwd.is_absolute() and cwd.is_dir() else None
    roots = (copy, root) if root is not None and (root / ".git").exists() else (copy,)
    readable, writable = Readable(roots), Writable(copy)
    return Toolbox((Read(readable), Grep(readable), Glob(readable), Shell(readable), Edit(writable), Write(writable)))


def extraction_question(stretch: ExtractionStretch, copy: Path, *, forked: bool) -> str:
    count = len(stretch.messages)
    begin = next((message for message in stretch.messages if message.kind is MessageKind.PROMPT), stretch.messages[0])
    words = " ".join(str(block.get("text", "")) for block in begin.content if block.get("type") == "text").split()
    since = f" (from “{' '.join(words)[:120]}” on)" if words else ""
    part = f"the last {plural(count, 'message')} of it{since}" if forked else "it"
    return extraction_prompt(
        read_directory(copy), stretch=part, directory=str(copy), turns=ExtractionConfig().turns, forked=forked
    )


def _reasons(
    transcript: Transcript, stretch: ExtractionStretch, before: dict[str, bytes], after: dict[str, bytes], answer: str
) -> dict[str, FileReason]:
    """By file: what the model said about it, and its source: the entry with most in common, else the last prompt of the
    stretch."""
    reasons: dict[str, str] = {}
    for line in answer.splitlines():
        name, colon, words = line.strip().lstrip("-* ").partition(":")
        if colon and words.strip():
            reasons.setdefault(name.strip().strip("`*"), words.strip())
    last = next((row for row in reversed(stretch.messages) if row.kind is MessageKind.PROMPT and row.uuid), None)
    file_reasons: dict[str, FileReason] = {}
    for name, data in after.items():
        old = before.get(name, b"")
        if data == old:
            continue
        added = [line for hunk in split_hunks(text_for_editing(old), text_for_editing(data)) for line in hunk.new]
        source = find_source(added, stretch.messages) or last
        sources = (Source(transcript.pk, source.uuid),) if source is not None else ()
        file_reasons[name] = FileReason(reasons.get(name, ""), sources)
    return file_reasons


def _result(transcript: Transcript, summary: str, proposal: Proposal | None) -> dict[str, Any]:
    page = f"/sessions/{transcript.public_id}/"
    links = [["The session", page], ["How far it was looked through", f"{page}notes/"]]
    if proposal is not None:
        links.insert(0, ["Review what it proposes", f"/memory/proposals/{proposal.pk}/"])
    return {"summary": summary, "proposal": proposal.pk if proposal else None, "links": links}


def _active_runs(transcript: Transcript) -> QuerySet[Run]:
    return Run.objects.filter(kind=KIND, target=transcript.public_id, status__in=ACTIVE).order_by("pk")


def _create(transcript: Transcript, request: dict[str, Any], retry_of: Run | None = None) -> Run:
    return run_create(
        kind=KIND,
        target=transcript.public_id,
        target_url=f"/sessions/{transcript.public_id}/notes/",
        parameters=request,
        retry_of=retry_of,
    )
