"""A proposal: what it would change, why, from which sources, and the decision about it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from inspector.web.htmx import HtmxRequest, render_page
from inspector.web.query import whole_number
from memory.files.engine.clash import ChangedMeanwhileError, Clash
from memory.files.engine.disk import FileTroubleError
from memory.files.engine.newlines import text_for_editing
from memory.history.services.restoration import batch_undo
from memory.models import Batch, Proposal, ProposedFile
from memory.proposals.engine.facts import ChosenHunks, FactComparison, lines_to_json
from memory.proposals.engine.hunks import Hunk
from memory.proposals.selectors.fact_counts import fact_counter_of
from memory.proposals.selectors.proposals import (
    FileProposal,
    Source,
    SourceLocation,
    locate_sources,
    proposal_files,
    text_of,
)
from memory.proposals.services.proposals import LossError, proposal_accept, proposal_reject
from sessions.secrets.engine import mask
from sessions.text.engine.diffs import Diff, from_texts

MOST_SHOWN = 40
"""Files whose changes are shown on opening the page."""
MIN_PIECES = 2
"""A file with fewer is accepted or left as a whole."""
MOST_PIECES = 60
"""Pieces of one file that can be accepted one by one."""
MOST_LINES = 400
LONGEST_LINE = 2_000
CONTEXT = 2
CONFLICT = 409


@dataclass(frozen=True, slots=True)
class Piece:
    value: str
    number: int
    accepted: bool
    diff: Diff


@dataclass(frozen=True, slots=True)
class FileView:
    """A file as the page shows it."""

    row: ProposedFile
    pieces: Sequence[Piece] = ()
    hidden: Sequence[str] = ()
    """Pieces beyond the limit: they are accepted with the file."""
    diff: Diff | None = None
    cut: int = 0
    """Lines that are not shown."""
    reason: str = ""
    places: Sequence[tuple[Source, SourceLocation]] = ()
    missing: int = 0
    """Sources that are not in the archive."""
    folded: bool = False
    ticked: bool = True
    divided: bool = False
    """It is accepted piece by piece."""
    kept_back: int = 0
    """Pieces that are not shown, and left out because they would lose something."""


@dataclass(frozen=True, slots=True)
class FactCounts:
    """What becomes of the facts."""

    kept: int
    merged: int
    reworded: int
    lost: int
    new: int
    lines: Sequence[Mapping[str, Any]]
    """The lost ones."""
    words: Sequence[tuple[str, str, str]] = ()
    """The reworded ones: file, old text, new text."""
    digest: str = ""

    @classmethod
    def of(cls, facts: FactComparison) -> Self:
        words = [(item.fact.name, mask(item.fact.text), mask(item.now)) for item in facts.reworded]
        lines = _mask_lines(lines_to_json(facts.lost))
        return cls(facts.kept, facts.merged, len(words), len(lines), facts.new, lines, words, facts.digest)

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Self:
        """The counts as decided. Earlier versions called reworded facts changed, and stored no line numbers."""
        lines = [
            line if isinstance(line, dict) else {"file": line[0], "line": None, "text": line[1]}
            for line in facts.get("lost_lines", [])
        ]
        kept, merged, lost, new = (facts.get(key, 0) for key in ("kept", "merged", "lost", "new"))
        return cls(kept, merged, facts.get("reworded", facts.get("changed", 0)), lost, new, _mask_lines(lines))


@dataclass(frozen=True, slots=True)
class Refusal:
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
            everything = "all" in request.POST
            chosen = None if everything else _read_choice(request.POST)
            seen_losses = request.POST.get("seen-all" if everything else "seen", "")
            proposal_accept(proposal=proposal, chosen=chosen, seen_losses=seen_losses)
    except LossError as error:
        return _page(request, proposal, Refusal(f"{error} If that is meant, accept it again."), chosen=chosen)
    except ChangedMeanwhileError as error:
        return _page(request, proposal, _refuse(error))
    except FileTroubleError as error:
        return _page(request, _get(proposal_id), Refusal(str(error)))
    return _redirect(proposal)


@require_POST
def proposal_count(request: HtmxRequest, proposal_id: int) -> HttpResponse:
    """Counts the facts again for what is ticked."""
    proposal = _get(proposal_id)
    counter = fact_counter_of(proposal, proposal_files(proposal))
    context = {"open": True, "counted": FactCounts.of(counter.facts(_read_choice(request.POST)))}
    return render(request, "memory/proposals/proposal.html#counted", context)


@require_POST
def proposal_undo(request: HtmxRequest, proposal_id: int) -> HttpResponse:
    """Undoes an accepted proposal."""
    proposal = _get(proposal_id)
    try:
        if proposal.batch is not None:
            batch_undo(batch=proposal.batch, message=f"Took back proposal {proposal.pk}.")
    except ChangedMeanwhileError as error:
        return _page(request, proposal, _refuse(error))
    except FileTroubleError as error:
        return _page(request, proposal, Refusal(str(error)))
    return _redirect(proposal)


def _get(pk: int) -> Proposal:
    return get_object_or_404(Proposal.objects.select_related("directory__project", "batch"), pk=pk)


def _redirect(proposal: Proposal) -> HttpResponse:
    response = redirect("proposal-detail", proposal.pk)
    response.status_code = 303
    return response


def _page(
    request: HtmxRequest, proposal: Proposal, refused: Refusal | None = None, chosen: ChosenHunks | None = None
) -> HttpResponse:
    """`chosen`: what is ticked; by default, everything that loses nothing."""
    unfolded = request.GET.get("file", "")
    is_open = proposal.status == Proposal.Status.OPEN
    files = proposal_files(proposal)
    locations = locate_sources(files)
    counted, everything = FactCounts.from_json(proposal.facts), None
    ticked: ChosenHunks = {}
    if is_open:
        counter = fact_counter_of(proposal, files)
        facts = counter.facts()
        everything = FactCounts.of(facts)
        if chosen is None:
            ticked, facts = counter.lossless()
        else:
            ticked, facts = chosen, counter.facts(chosen)
        counted = FactCounts.of(facts)
    rows = [
        _file_view(file, locations, ticked, folded=index >= MOST_SHOWN and str(file.row.pk) != unfolded)
        for index, file in enumerate(files)
    ]
    undo = Batch.objects.filter(undoes=proposal.batch, state=Batch.State.DONE).first() if proposal.batch else None
    context: dict[str, Any] = {
        "section": "dreams",
        "proposal": proposal,
        "open": is_open,
        "files": rows,
        "deleted": [row.row.name for row in rows if row.row.action == ProposedFile.Action.DELETED],
        "counted": counted,
        "everything": everything,
        "contradictions": [mask(str(contradiction)) for contradiction in proposal.contradictions],
        "message": mask(proposal.message),
        "undone": undo,
        "refused": refused,
    }
    response = render_page(request, "memory/proposals/proposal.html", context)
    response.status_code = CONFLICT if refused else 200
    return response


def _file_view(
    file: FileProposal, places: Mapping[Source, SourceLocation], ticked: ChosenHunks, *, folded: bool
) -> FileView:
    row, locations = file.row, [(source, places[source]) for source in file.sources if source in places]
    missing = len(file.sources) - len(locations)
    hunks = ticked.get(row.pk, ())
    numbers = {hunk.number for hunk in file.hunks} if hunks is None else set(hunks)
    pieces = [] if folded or len(file.hunks) < MIN_PIECES else list(_pieces(file, numbers))
    some = len(file.hunks) >= MIN_PIECES and hunks is not None
    # Pieces that are not shown are accepted with the file, except those that would lose something.
    behind = file.hunks[MOST_PIECES:] if pieces else file.hunks if some else ()
    hidden = [f"{row.pk}:{hunk.number}" for hunk in behind if hunk.number in numbers]
    whole = (
        None
        if folded or pieces
        else from_texts(mask(text_for_editing(file.before or b"")), mask(text_for_editing(file.after or b"")))
    )
    return FileView(
        row,
        pieces,
        hidden,
        whole.head(MOST_LINES).narrow(LONGEST_LINE) if whole else None,
        cut=max(whole.length - MOST_LINES, 0) if whole else 0,
        reason=mask(row.reason),
        places=locations,
        missing=missing,
        folded=folded,
        ticked=hunks is None or bool(hunks),
        divided=bool(pieces) or some,
        kept_back=len(behind) - len(hidden),
    )


def _pieces(file: FileProposal, ticked: Collection[int]) -> Iterator[Piece]:
    lines = text_of(file.before or b"").split("\n")
    for hunk in file.hunks[:MOST_PIECES]:
        if file.row.decision == ProposedFile.Decision.OPEN:
            accepted = hunk.number in ticked
        else:
            accepted = file.row.decision == ProposedFile.Decision.ACCEPTED or hunk.number in file.row.hunks
        yield Piece(f"{file.row.pk}:{hunk.number}", hunk.number, accepted, _piece_diff(lines, hunk))


def _piece_diff(lines: Sequence[str], hunk: Hunk) -> Diff:
    ahead = lines[max(hunk.old_start - CONTEXT, 0) : hunk.old_start]
    behind = lines[hunk.old_start + len(hunk.old) :][:CONTEXT]
    old, new = (_side(ahead, side, behind) for side in (hunk.old, hunk.new))
    return from_texts(mask(old), mask(new)).head(MOST_LINES).narrow(LONGEST_LINE)


def _side(ahead: Sequence[str], lines: Sequence[str], behind: Sequence[str]) -> str:
    text = "\n".join([*ahead, *(line.rstrip("\r\n") for line in lines), *behind])
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _refuse(error: ChangedMeanwhileError) -> Refusal:
    return Refusal(str(error), [(clash.name, _their_changes(clash)) for clash in error.clashes])


def _their_changes(clash: Clash) -> Diff:
    """What somebody else changed in the file."""
    return (
        from_texts(mask(text_for_editing(clash.base or b"")), mask(text_for_editing(clash.theirs or b"")))
        .head(MOST_LINES)
        .narrow(LONGEST_LINE)
    )


def _mask_lines(lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**line, "text": mask(line["text"])} for line in lines]


def _read_choice(form: QueryDict) -> ChosenHunks:
    """The ticked files, with their ticked pieces; a file without pieces is accepted as a whole."""
    pieces: dict[int, list[int]] = {}
    for value in form.getlist("piece"):
        file, _, number = value.partition(":")
        file_number, piece_number = whole_number(file), whole_number(number)
        if file_number is not None and piece_number is not None:
            pieces.setdefault(file_number, []).append(piece_number)
    divided = {whole_number(value) for value in form.getlist("divided")}
    files = [whole_number(value) for value in form.getlist("file")]
    return {file: pieces.get(file, []) if file in divided else None for file in files if file is not None}
