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
from memory.dreams.engine.lock import Lock
from memory.dreams.engine.tidy import tidy
from memory.dreams.selectors.gates import lock_of
from memory.dreams.services.dream_lock import COPY, held
from memory.dreams.services.dreaming import NO_MODEL, dream, whys
from memory.files.engine.clash import ChangedMeanwhileError
from memory.files.engine.disk import FileTroubleError
from memory.files.engine.reading import read_directory
from memory.files.selectors.disk_contents import read_contents
from memory.lint.engine import Surroundings
from memory.models import Directory, Proposal
from memory.proposals.engine.facts import lines_to_json
from memory.proposals.selectors.fact_counts import scales_of
from memory.proposals.selectors.proposals import proposal_files
from memory.proposals.services.copying import copy_make
from memory.proposals.services.proposals import Why, proposal_accept, proposal_create
from sessions.text.engine.words import plural

DREAM = "dream"
MOST_NAMED = 10
"""Files in a sentence."""
TIDY = "tidy"


def dream_create(*, directory: Directory, model: str = "") -> Run:
    """Queues a dream, or, without a model, a tidy. Raises RunError if nobody can be asked."""
    if model:
        if choice_of(settings.MODELS).kind != "anthropic":
            raise RunError(NO_MODEL)
        budget_hold()
    return run_create(
        kind=DREAM if model else TIDY,
        target=directory.path,
        target_url=reverse("dream-list"),
        parameters={"directory": directory.pk, "model": model},
    )


def dream_run(running: ActiveRun, run: Run, aloud: Callable[[str], None] | None = None) -> dict[str, Any]:
    """What `parameters` ask for: directory, model, accept. `aloud`: hears each phase as well."""
    say = aloud or (lambda _: None)
    directory = Directory.objects.filter(pk=run.parameters["directory"]).first()
    if directory is None:
        raise RunError("The memory directory is no longer known.")
    before = lock_of(directory)
    with held(directory, run.pk) as place:
        say("copying the memory")
        running.begin_phase("copying the memory")
        try:
            copied = copy_make(directory=directory, to=place / COPY)
        except FileTroubleError as error:
            raise RunError(str(error)) from error
        model = run.parameters.get("model", "")
        say("dreaming" if model else "tidying")
        if model:
            proposal, said = _dreamt(running, run, directory, before, place / COPY, copied)
        else:
            proposal, said = _tidied(running, run, directory, place / COPY, copied)
    # From here on it is consolidated, whatever somebody decides about it.
    return _result(run, proposal, said)


def _tidied(
    running: ActiveRun, run: Run, directory: Directory, copy: Path, before: dict[str, bytes]
) -> tuple[Proposal | None, str]:
    running.begin_phase("tidying")
    found = tidy(read_directory(copy), Surroundings(now=datetime.now(UTC)))
    after = {name: data for name, data in {**before, **found.changes}.items() if data is not None}
    running.begin_phase("comparing")
    proposal = proposal_create(
        directory=directory,
        kind=Proposal.Kind.TIDY,
        before=before,
        after=after,
        why={name: Why(reason) for name, reason in found.reasons.items()},
        run_id=run.pk,
        contradictions=found.apart,
    )
    return proposal, "" if proposal else " ".join(found.apart)


def _dreamt(
    running: ActiveRun, run: Run, directory: Directory, lock: Lock, copy: Path, before: dict[str, bytes]
) -> tuple[Proposal | None, str]:
    dreamt = dream(running, directory, lock, copy, run.parameters["model"])
    running.begin_phase("comparing")
    after = read_contents(path=copy)
    why, missing = whys(dreamt.report, {*before, *after})
    nowhere = f"{plural(missing, 'entry', 'entries')} that it names as sources are not in the archive."
    message = "\n".join(one for one in (dreamt.report.message, dreamt.cut_off, nowhere if missing else "") if one)
    proposal = proposal_create(
        directory=directory,
        kind=Proposal.Kind.DREAM,
        before=before,
        after=after,
        why=why,
        run_id=run.pk,
        message=message,
        contradictions=dreamt.report.contradictions,
    )
    return proposal, dreamt.cut_off


def _result(run: Run, proposal: Proposal | None, said: str) -> dict[str, Any]:
    if proposal is None:
        summary = f"Nothing is to be changed. {said}".strip()
        return {"summary": summary, "run": run.pk, "proposal": None, "links": [["Dreams", reverse("dream-list")]]}
    accepted = _Accepted("")
    if run.parameters.get("accept", settings.LUCID_DREAMS_ACCEPT):
        accepted = _accept(proposal, losses=run.parameters.get("losses", False))
    count = proposal.files.count()
    facts = {key: value for key, value in proposal.facts.items() if key != "lost_lines"}
    return {
        "summary": f"Proposes to change {plural(count, 'file')}. {accepted.sentence} {said}".replace("  ", " ").strip(),
        "run": run.pk,
        "proposal": proposal.pk,
        "status": proposal.status,
        "files": [f"{file.action}: {file.name}" for file in proposal.files.order_by("name")[:100]],
        **{f"facts_{key}": value for key, value in facts.items()},
        "left": accepted.left,
        "alarm": accepted.failure,
        "links": [["Review the proposal", reverse("proposal-detail", args=[proposal.pk])]],
    }


@dataclass(frozen=True, slots=True)
class _Accepted:
    sentence: str
    """What became of it."""
    left: list[dict[str, Any]] = field(default_factory=list)
    """The facts that the rest would have lost."""
    failure: str = ""
    """Why nothing was written, though something should have been."""


def _accept(proposal: Proposal, *, losses: bool) -> _Accepted:
    """Accepts what loses nothing, or all of it if somebody said so. It stays open where it stands against what was
    changed meanwhile."""
    files = proposal_files(proposal)
    scales = scales_of(proposal, files)
    chosen = None if losses else scales.lossless()[0]
    left = [] if losses else lines_to_json(scales.facts().lost)
    lost = plural(len(left), "fact")
    if chosen is not None and not chosen:
        return _Accepted(f"Nothing of it was accepted: it would lose {lost}. It waits for a decision.", left)
    try:
        proposal_accept(proposal=proposal, chosen=chosen)
    except (ChangedMeanwhileError, FileTroubleError) as error:
        failure = f"The proposal could not be accepted: {error} It waits for a decision."
        return _Accepted(failure, left, failure)
    if not left:
        return _Accepted("All of it was accepted.")
    partly = sorted(file.row.name for file in files if chosen is None or chosen.get(file.row.pk, ()) is not None)
    named = ", ".join(partly[:MOST_NAMED]) + (
        f" and {len(partly) - MOST_NAMED} more" if len(partly) > MOST_NAMED else ""
    )
    return _Accepted(
        f"What loses nothing was accepted. Left as it was, because it would lose {lost}: changes of {named}.", left
    )
