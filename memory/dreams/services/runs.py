"""A run that consolidates a memory directory: with a model it dreams, without one it tidies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.urls import reverse

from inspector.agents.choosing import choice_of
from inspector.budget.services import budget_hold
from inspector.runs.models import Run
from inspector.runs.services import ActiveRun, RunError, run_create
from memory.dreams.engine.lock import DreamLock
from memory.dreams.engine.tidy import tidy
from memory.dreams.selectors.gates import read_lock
from memory.dreams.services.dream_agent import NO_MODEL, collect_reasons, run_dream_agent
from memory.dreams.services.dream_lock import COPY, hold_dream_lock
from memory.files.engine.clash import ChangedMeanwhileError
from memory.files.engine.disk import FileTroubleError
from memory.files.engine.reading import read_directory
from memory.files.selectors.disk_contents import read_contents
from memory.lint.engine import Surroundings
from memory.models import Directory, Proposal
from memory.proposals.engine.facts import lines_to_json
from memory.proposals.selectors.fact_counts import fact_counter_of
from memory.proposals.selectors.proposals import proposal_files
from memory.proposals.services.proposals import FileReason, proposal_accept, proposal_create
from memory.proposals.services.working_copy import copy_make
from sessions.text.engine.words import plural

DREAM = "dream"
MOST_NAMED = 10
"""Files in a sentence."""
TIDY = "tidy"


def dream_create(*, directory: Directory, model: str = "", forks: bool = True) -> Run:
    """Queues a dream or, without a model, a tidy. `forks`: as a fork of the latest session while its request is cached.
    Raises RunError if no model can be asked."""
    if model:
        if choice_of(settings.MODELS).kind != "anthropic":
            raise RunError(NO_MODEL)
        budget_hold()
    return run_create(
        kind=DREAM if model else TIDY,
        target=directory.path,
        target_url=reverse("dream-list"),
        parameters={"directory": directory.pk, "model": model, **({"forks": forks} if model else {})},
    )


def dream_run(running: ActiveRun, run: Run, announce: Callable[[str], None] | None = None) -> dict[str, Any]:
    """Runs the dream in `parameters`: directory, model, accept. `announce` is told each phase too."""
    announce_phase = announce or (lambda _: None)
    directory = Directory.objects.filter(pk=run.parameters["directory"]).first()
    if directory is None:
        raise RunError("The memory directory is no longer known.")
    lock = read_lock(directory)
    with hold_dream_lock(directory, run.pk) as workspace:
        announce_phase("copying the memory")
        running.begin_phase("copying the memory")
        try:
            contents = copy_make(directory=directory, to=workspace / COPY)
        except FileTroubleError as error:
            raise RunError(str(error)) from error
        model = run.parameters.get("model", "")
        announce_phase("dreaming" if model else "tidying")
        if model:
            proposal, remark, sharing = _propose_dream(running, run, directory, lock, workspace / COPY, contents)
        else:
            proposal, remark = _propose_tidy(running, run, directory, workspace / COPY, contents)
            sharing = ""
    # From here on memory counts as consolidated, whatever a person decides about the proposal.
    return _result(run, proposal, remark) | ({"prompt_cache": sharing} if sharing else {})


def _propose_tidy(
    running: ActiveRun, run: Run, directory: Directory, copy: Path, before: dict[str, bytes]
) -> tuple[Proposal | None, str]:
    running.begin_phase("tidying")
    result = tidy(read_directory(copy), Surroundings(now=datetime.now(UTC)))
    after = {name: data for name, data in {**before, **result.changes}.items() if data is not None}
    running.begin_phase("comparing")
    proposal = proposal_create(
        directory=directory,
        kind=Proposal.Kind.TIDY,
        before=before,
        after=after,
        reasons={name: FileReason(reason) for name, reason in result.reasons.items()},
        run_id=run.pk,
        contradictions=result.kept_apart,
    )
    return proposal, "" if proposal else " ".join(result.kept_apart)


def _propose_dream(
    running: ActiveRun, run: Run, directory: Directory, lock: DreamLock, copy: Path, before: dict[str, bytes]
) -> tuple[Proposal | None, str, str]:
    forks = bool(run.parameters.get("forks"))
    outcome = run_dream_agent(running, directory, lock, copy, run.parameters["model"], forks=forks)
    running.begin_phase("comparing")
    after = read_contents(path=copy)
    why, missing = collect_reasons(outcome.report, {*before, *after})
    missing_note = f"{plural(missing, 'entry', 'entries')} that it names as sources are not in the archive."
    snipped = [
        f"It took {plural(len(snip.ids), 'round')} out of its own conversation: {snip.reason}"
        for snip in outcome.outcome.snipped
    ]
    notes = (outcome.report.message, outcome.cut_off, missing_note if missing else "", *snipped)
    message = "\n".join(note for note in notes if note)
    proposal = proposal_create(
        directory=directory,
        kind=Proposal.Kind.DREAM,
        before=before,
        after=after,
        reasons=why,
        run_id=run.pk,
        message=message,
        contradictions=outcome.report.contradictions,
    )
    return proposal, outcome.cut_off, outcome.sharing


def _result(run: Run, proposal: Proposal | None, remark: str) -> dict[str, Any]:
    if proposal is None:
        summary = f"Nothing is to be changed. {remark}".strip()
        return {"summary": summary, "run": run.pk, "proposal": None, "links": [["Dreams", reverse("dream-list")]]}
    acceptance = _Acceptance("")
    if run.parameters.get("accept", settings.LUCID_DREAMS_ACCEPT):
        acceptance = _accept(proposal, losses=run.parameters.get("losses", False))
    count = proposal.files.count()
    facts = {key: value for key, value in proposal.facts.items() if key != "lost_lines"}
    return {
        "summary": f"Proposes to change {plural(count, 'file')}. {acceptance.sentence} {remark}".replace(
            "  ", " "
        ).strip(),
        "run": run.pk,
        "proposal": proposal.pk,
        "status": proposal.status,
        "files": [f"{file.action}: {file.name}" for file in proposal.files.order_by("name")[:100]],
        **{f"facts_{key}": value for key, value in facts.items()},
        "left": acceptance.lost_facts,
        "alarm": acceptance.failure,
        "links": [["Review the proposal", reverse("proposal-detail", args=[proposal.pk])]],
    }


@dataclass(frozen=True, slots=True)
class _Acceptance:
    sentence: str
    """What became of it."""
    lost_facts: list[dict[str, Any]] = field(default_factory=list)
    """The facts that the rest would have lost."""
    failure: str = ""
    """Why nothing was written, though something should have been."""


def _accept(proposal: Proposal, *, losses: bool) -> _Acceptance:
    """Accepts what loses nothing, or everything if that was requested. The proposal stays open if it conflicts with
    changes made meanwhile."""
    files = proposal_files(proposal)
    counter = fact_counter_of(proposal, files)
    chosen = None if losses else counter.lossless()[0]
    lost_facts = [] if losses else lines_to_json(counter.facts().lost)
    lost = plural(len(lost_facts), "fact")
    if chosen is not None and not chosen:
        failure = f"Nothing of it was accepted: it would lose {lost}. It waits for a decision."
        return _Acceptance(failure, lost_facts, failure)
    try:
        proposal_accept(proposal=proposal, chosen=chosen)
    except (ChangedMeanwhileError, FileTroubleError) as error:
        failure = f"The proposal could not be accepted: {error} It waits for a decision."
        return _Acceptance(failure, lost_facts, failure)
    if not lost_facts:
        return _Acceptance("All of it was accepted.")
    partial = sorted(file.row.name for file in files if chosen is None or chosen.get(file.row.pk, ()) is not None)
    names = ", ".join(partial[:MOST_NAMED]) + (
        f" and {len(partial) - MOST_NAMED} more" if len(partial) > MOST_NAMED else ""
    )
    return _Acceptance(
        f"What loses nothing was accepted. Left as it was, because it would lose {lost}: changes of {names}.",
        lost_facts,
    )
