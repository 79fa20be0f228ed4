"""A run that consolidates a memory directory: with a model it dreams, without one it tidies."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.urls import reverse

from inspector.agents.choosing import choice_of
from inspector.models import Run
from inspector.services.budget import budget_hold
from inspector.services.dreams.dreaming import NO_MODEL, dream, whys
from inspector.services.dreams.holding import COPY, held
from inspector.services.runs import RunError, Running, run_create
from memory.engine.clash import ChangedMeanwhileError
from memory.engine.disk import FileTroubleError
from memory.engine.dreaming.lock import Lock
from memory.engine.dreaming.tidy import tidy
from memory.engine.lint import Surroundings
from memory.engine.reading import read_directory
from memory.models import Directory, Proposal
from memory.selectors.dreaming import lock_of
from memory.services.copying import contents_read, copy_make
from memory.services.proposals import Why, proposal_accept, proposal_create
from sessions.engine.words import plural

DREAM = "dream"
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


def dream_run(running: Running, run: Run, aloud: Callable[[str], None] | None = None) -> dict[str, Any]:
    """What `parameters` ask for: directory, model, accept. `aloud`: hears each phase as well."""
    say = aloud or (lambda _: None)
    directory = Directory.objects.filter(pk=run.parameters["directory"]).first()
    if directory is None:
        raise RunError("The memory directory is no longer known.")
    before = lock_of(directory)
    with held(directory, run.pk) as place:
        say("copying the memory")
        running.phase("copying the memory")
        try:
            copied = copy_make(directory=directory, to=place / COPY)
        except FileTroubleError as error:
            raise RunError(str(error)) from error
        model = run.parameters.get("model", "")
        say("dreaming" if model else "tidying")
        if model:
            proposal, said = _dreamt(running, run, directory, before, place / COPY, copied)
        else:
            proposal, said = _tidied(running, run, directory, place / COPY, copied), ""
    # From here on it is consolidated, whatever somebody decides about it.
    return _result(run, proposal, said)


def _tidied(running: Running, run: Run, directory: Directory, copy: Path, before: dict[str, bytes]) -> Proposal | None:
    running.phase("tidying")
    found = tidy(read_directory(copy), Surroundings(now=datetime.now(UTC)))
    after = {name: data for name, data in {**before, **found.changes}.items() if data is not None}
    running.phase("comparing")
    return proposal_create(
        directory=directory,
        kind=Proposal.Kind.TIDY,
        before=before,
        after=after,
        why={name: Why(reason) for name, reason in found.reasons.items()},
        run_id=run.pk,
    )


def _dreamt(
    running: Running, run: Run, directory: Directory, lock: Lock, copy: Path, before: dict[str, bytes]
) -> tuple[Proposal | None, str]:
    dreamt = dream(running, directory, lock, copy, run.parameters["model"])
    running.phase("comparing")
    after = contents_read(path=copy)
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
    accepted = _accepted(proposal) if run.parameters.get("accept", settings.LUCID_DREAMS_ACCEPT) else ""
    count = proposal.files.count()
    facts = {key: value for key, value in proposal.facts.items() if key != "lost_lines"}
    return {
        "summary": f"Proposes to change {plural(count, 'file')}. {accepted} {said}".replace("  ", " ").strip(),
        "run": run.pk,
        "proposal": proposal.pk,
        "status": proposal.status,
        "files": [f"{file.action}: {file.name}" for file in proposal.files.order_by("name")[:100]],
        **{f"facts_{key}": value for key, value in facts.items()},
        "links": [["Review the proposal", reverse("proposal-detail", args=[proposal.pk])]],
    }


def _accepted(proposal: Proposal) -> str:
    """What became of it: it stays open where it stands against what was changed meanwhile."""
    try:
        proposal_accept(proposal=proposal)
    except ChangedMeanwhileError as error:
        return f"{error} It waits for a decision."
    except FileTroubleError as error:
        return f"It could not be accepted: {error}"
    return "All of it was accepted."
