"""A proposal: what it would change, why and from where, and the decision about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST

from inspector.web.htmx import HtmxRequest, render_page
from memory.engine.clash import ChangedMeanwhileError, Clash
from memory.engine.disk import FileTroubleError
from memory.engine.hunks import Hunk
from memory.engine.newlines import shown
from memory.models import Batch, Proposal, ProposedFile
from memory.selectors.proposals import Place, Proposed, Source, proposal_files, sources_found, text_of
from memory.services.proposals import Chosen, proposal_accept, proposal_reject
from memory.services.restoring import batch_undo
from sessions.engine.diffs import Diff, from_texts
from sessions.engine.secrets import mask

MOST_SHOWN = 40
"""Files whose changes are shown at once."""
MOST_PIECES = 60
"""Pieces of one file that can be taken or left alone."""
MOST_LINES = 400
LONGEST_LINE = 2_000
CONTEXT = 2
CONFLICT = 409


@dataclass(frozen=True, slots=True)
class Piece:
    value: str
    number: int
    taken: bool
    diff: Diff


@dataclass(frozen=True, slots=True)
class Shown:
    """A file as the page has it."""

    row: ProposedFile
    pieces: Sequence[Piece] = ()
    hidden: Sequence[str] = ()
    """Pieces beyond the most that is shown: they go with the file."""
    diff: Diff | None = None
    cut: int = 0
    """Lines of it that are not shown."""
    reason: str = ""
    places: Sequence[tuple[Source, Place]] = ()
    missing: int = 0
    """Sources that are not in the archive."""
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    sentence: str
    clashes: Sequence[tuple[str, Diff]] = field(default=())


@require_http_methods(["GET", "HEAD", "POST"])
def proposal_detail(request: HtmxRequest, proposal_id: int) -> HttpResponse:
    proposal = _get(proposal_id)
    if request.method != "POST":
        return _page(request, proposal)
    try:
        if "reject" in request.POST:
            proposal_reject(proposal=proposal)
        else:
            proposal_accept(proposal=proposal, chosen=None if "all" in request.POST else _chosen(request.POST))
    except ChangedMeanwhileError as error:
        return _page(request, proposal, Refused(str(error), [(one.name, _meanwhile(one)) for one in error.clashes]))
    except FileTroubleError as error:
        return _page(request, _get(proposal_id), Refused(str(error)))
    return _again(proposal)


@require_POST
def proposal_undo(request: HtmxRequest, proposal_id: int) -> HttpResponse:
    """Takes back what was accepted."""
    proposal = _get(proposal_id)
    try:
        if proposal.batch is not None:
            batch_undo(batch=proposal.batch, message=f"Took back proposal {proposal.pk}.")
    except ChangedMeanwhileError as error:
        return _page(request, proposal, Refused(str(error), [(one.name, _meanwhile(one)) for one in error.clashes]))
    except FileTroubleError as error:
        return _page(request, proposal, Refused(str(error)))
    return _again(proposal)


def _get(pk: int) -> Proposal:
    return get_object_or_404(Proposal.objects.select_related("directory__project", "batch"), pk=pk)


def _again(proposal: Proposal) -> HttpResponse:
    response = redirect("proposal-detail", proposal.pk)
    response.status_code = 303
    return response


def _page(request: HtmxRequest, proposal: Proposal, refused: Refused | None = None) -> HttpResponse:
    asked = request.GET.get("file", "")
    files = proposal_files(proposal, first=MOST_SHOWN, also=asked)
    places = sources_found(files)
    rows = [
        _shown(file, places, folded=at >= MOST_SHOWN and str(file.row.pk) != asked) for at, file in enumerate(files)
    ]
    undo = Batch.objects.filter(undoes=proposal.batch, state=Batch.State.DONE).first() if proposal.batch else None
    context: dict[str, Any] = {
        "section": "dreams",
        "proposal": proposal,
        "open": proposal.status == Proposal.Status.OPEN,
        "files": rows,
        "deleted": [row.row.name for row in rows if row.row.action == ProposedFile.Action.DELETED],
        "facts": proposal.facts,
        "lost": [(name, mask(text)) for name, text in proposal.facts.get("lost_lines", [])],
        "contradictions": [mask(str(one)) for one in proposal.contradictions],
        "message": mask(proposal.message),
        "undone": undo,
        "refused": refused,
    }
    response = render_page(request, "memory/proposal.html", context)
    response.status_code = CONFLICT if refused else 200
    return response


def _shown(file: Proposed, places: Mapping[Source, Place], *, folded: bool) -> Shown:
    row, found = file.row, [(one, places[one]) for one in file.sources if one in places]
    missing = len(file.sources) - len(found)
    if folded:
        return Shown(row, reason=mask(row.reason), places=found, missing=missing, folded=True)
    pieces = list(_pieces(file)) if len(file.hunks) > 1 else []
    hidden = [f"{row.pk}:{hunk.number}" for hunk in file.hunks[MOST_PIECES:]] if pieces else []
    whole = None if pieces else from_texts(mask(shown(file.before or b"")), mask(shown(file.after or b"")))
    cut = max(whole.length - MOST_LINES, 0) if whole else 0
    diff = whole.head(MOST_LINES).narrow(LONGEST_LINE) if whole else None
    return Shown(row, pieces, hidden, diff, cut, mask(row.reason), found, missing)


def _pieces(file: Proposed) -> Iterator[Piece]:
    lines = text_of(file.before or b"").split("\n")
    undecided = file.row.decision in (ProposedFile.Decision.OPEN, ProposedFile.Decision.ACCEPTED)
    for hunk in file.hunks[:MOST_PIECES]:
        taken = undecided or hunk.number in file.row.hunks
        yield Piece(f"{file.row.pk}:{hunk.number}", hunk.number, taken, _piece(lines, hunk))


def _piece(lines: Sequence[str], hunk: Hunk) -> Diff:
    ahead = lines[max(hunk.old_start - CONTEXT, 0) : hunk.old_start]
    behind = lines[hunk.old_start + len(hunk.old) :][:CONTEXT]
    old, new = (_side(ahead, one, behind) for one in (hunk.old, hunk.new))
    return from_texts(mask(old), mask(new)).head(MOST_LINES).narrow(LONGEST_LINE)


def _side(ahead: Sequence[str], lines: Sequence[str], behind: Sequence[str]) -> str:
    text = "\n".join([*ahead, *(line.rstrip("\r\n") for line in lines), *behind])
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _meanwhile(clash: Clash) -> Diff:
    """What somebody else made of the file."""
    return (
        from_texts(mask(shown(clash.base or b"")), mask(shown(clash.theirs or b"")))
        .head(MOST_LINES)
        .narrow(LONGEST_LINE)
    )


def _chosen(form: QueryDict) -> Chosen:
    """Files that are ticked, with those of their pieces that are; a file without pieces is taken as a whole."""
    pieces: dict[int, list[int]] = {}
    for value in form.getlist("piece"):
        file, _, number = value.partition(":")
        if file.isdecimal() and number.isdecimal():
            pieces.setdefault(int(file), []).append(int(number))
    divided = set(form.getlist("divided"))
    files = [one for one in form.getlist("file") if one.isdecimal()]
    return {int(one): pieces.get(int(one), []) if one in divided else None for one in files}
