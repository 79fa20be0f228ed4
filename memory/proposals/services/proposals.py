"""Proposals: made of a working copy, and decided by a person. What is accepted is one batch, which can be undone as a
whole; what somebody changed in the directory meanwhile is merged, or else nothing is written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.db import transaction

from inspector.web.clock import now_ms
from memory.files.engine.clash import ChangedMeanwhileError, Clash, encode_merged
from memory.files.engine.disk import FileTroubleError, digest_of
from memory.history.selectors.history import batches_of_run
from memory.history.services.batches import NothingToChangeError, batch_make
from memory.history.services.blob_storage import blobs_store
from memory.history.services.moves import FileLocation, Move, SourceEntry
from memory.models import (
    Batch,
    Cause,
    Directory,
    Proposal,
    ProposedFile,
)
from memory.proposals.engine.facts import ChosenHunks, FactComparison, compare_facts
from memory.proposals.engine.hunks import apply_hunks
from memory.proposals.selectors.fact_counts import fact_counter_of
from memory.proposals.selectors.proposals import (
    FileProposal,
    Source,
    SourceLocation,
    locate_sources,
    proposal_files,
    text_of,
)
from sessions.text.engine.words import plural

Action = ProposedFile.Action
Decision = ProposedFile.Decision


class NotOpenError(FileTroubleError):
    """It was decided already."""


class LossError(FileTroubleError):
    """What was chosen loses facts that nobody was shown."""

    def __init__(self, facts: FactComparison) -> None:
        super().__init__(f"Nothing was written: this would lose {plural(len(facts.lost), 'fact')}, named below.")
        self.facts = facts


@dataclass(frozen=True, slots=True)
class FileReason:
    """What its maker says of one file."""

    reason: str = ""
    sources: Sequence[Source] = field(default=())


def proposal_create(
    *,
    directory: Directory,
    kind: Proposal.Kind,
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    why: Mapping[str, FileReason] | None = None,
    run_id: int | None = None,
    message: str = "",
    contradictions: Sequence[str] = (),
) -> Proposal | None:
    """`before`: what was in the directory when the copy was made; `after`: what the copy holds. A file that was emptied
    is proposed to be deleted. None if nothing would change."""
    left = {name: data for name, data in after.items() if data.strip() or not before.get(name, b"").strip()}
    changes = list(_changes(before, left))
    if not changes:
        return None
    said = why or {}
    stored = blobs_store(
        contents={digest_of(data): data for one in changes for data in (one.before, one.after) if data is not None}
    )
    with transaction.atomic():
        proposal = Proposal.objects.create(
            directory=directory,
            kind=kind,
            run_id=run_id,
            message=message,
            base={name: digest_of(data) for name, data in before.items()},
            facts=compare_facts(before, left).to_json(),
            contradictions=list(contradictions),
            at=now_ms(),
        )
        ProposedFile.objects.bulk_create(
            ProposedFile(
                proposal=proposal,
                action=one.action,
                name=one.name,
                former_name=one.former_name,
                before_id=stored[digest_of(one.before)] if one.before is not None else None,
                after_id=stored[digest_of(one.after)] if one.after is not None else None,
                reason=said.get(one.name, FileReason()).reason,
                sources=[[source.transcript, source.entry] for source in said.get(one.name, FileReason()).sources],
            )
            for one in changes
        )
    return proposal


def proposal_accept(*, proposal: Proposal, chosen: ChosenHunks | None = None, seen: str | None = None) -> Batch:
    """Writes what was chosen, or all of it, and notes what became of the facts by that. Where a file was changed
    meanwhile, both changes are taken if they do not touch; otherwise a ChangedMeanwhileError says what stands against
    what, and nothing is written. `seen`: the print of the losses that a person was shown; others raise a LossError."""
    _require_open(proposal)
    files = proposal_files(proposal)
    wanted: dict[int, Collection[int] | None] = dict.fromkeys((file.row.pk for file in files), None)
    if chosen is not None:
        strangers = chosen.keys() - wanted.keys()
        if strangers:
            raise ValueError(f"File {min(strangers)} is none of this proposal's.")
        wanted = {pk: hunks for pk, hunks in chosen.items() if hunks is None or hunks}
    facts = fact_counter_of(proposal, files).facts(wanted)
    if seen is not None and facts.lost and facts.print != seen:
        raise LossError(facts)
    places = locate_sources(files)
    moves = [_move(proposal, file, wanted[file.row.pk], places) for file in files if file.row.pk in wanted]
    if not moves:
        raise NothingToChangeError("Nothing was chosen, so nothing was written.")
    try:
        batch = _write_batch(proposal, moves)
    except NothingToChangeError:
        # Everything is there already: by an earlier attempt that did not live to say so, or by somebody else.
        earlier = batches_of_run(proposal.run_id).first() if proposal.run_id else None
        if earlier is None:
            raise
        batch = earlier
    _decide(proposal, files, wanted, batch, facts)
    return batch


def proposal_reject(*, proposal: Proposal) -> None:
    """The directory stays as it is. The proposal stays too, so that it can be looked up."""
    _require_open(proposal)
    _decide(proposal, proposal_files(proposal), {}, None)


@dataclass(frozen=True, slots=True)
class _Change:
    action: Action
    name: str
    before: bytes | None
    after: bytes | None
    former_name: str = ""


def _changes(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterator[_Change]:
    """In the order of their names. A file that goes while another comes with its very content was renamed."""
    gone = {data: name for name, data in before.items() if name not in after and data.strip()}
    renamed: dict[str, str] = {}
    for name in sorted(after.keys() - before.keys()):
        if after[name] in gone:
            renamed[name] = gone.pop(after[name])
    moved = set(renamed.values())
    for name in sorted(before.keys() | after.keys()):
        if name in renamed:
            yield _Change(Action.RENAMED, name, after[name], after[name], renamed[name])
        elif name not in before:
            yield _Change(Action.CREATED, name, None, after[name])
        elif name not in after:
            if name not in moved:
                yield _Change(Action.DELETED, name, before[name], None)
        elif before[name] != after[name]:
            yield _Change(Action.UPDATED, name, before[name], after[name])


def _move(
    proposal: Proposal, file: FileProposal, hunks: Collection[int] | None, places: Mapping[Source, SourceLocation]
) -> Move:
    row, new = file.row, file.after
    place = next((places[source] for source in file.sources if source in places), None)
    entry = SourceEntry(place.transcript, place.position) if place else None
    spot = FileLocation(proposal.directory, row.name)
    if file.before is None:
        return Move(None, spot, new, entry=entry)
    expected = digest_of(file.before)
    if new is None:
        return Move(spot, None, expected=expected, entry=entry)
    if hunks is not None:
        new = encode_merged(apply_hunks(text_of(file.before), text_of(new), hunks))
    source = FileLocation(proposal.directory, row.former_name) if row.former_name else spot
    return Move(source, spot, new, expected, entry=entry)


def _write_batch(proposal: Proposal, moves: list[Move]) -> Batch:
    try:
        return _batch(proposal, moves)
    except ChangedMeanwhileError as error:
        merged = {clash.name: _merge(clash) for clash in error.clashes}
        if None in merged.values():
            raise
        names = ", ".join(sorted(merged))
        again = [_replace_move(move, merged.get(move.locations[0].name)) for move in moves]
        return _batch(proposal, again, f" {names} had been changed meanwhile; both changes were kept.")


def _batch(proposal: Proposal, moves: Sequence[Move], more: str = "") -> Batch:
    files = plural(len(moves), "file")
    return batch_make(
        moves=moves,
        cause=Cause.RUN,
        message=f"{proposal.get_kind_display()}: accepted {files} of proposal {proposal.pk}.{more}",
        run_id=proposal.run_id,
        make_directory=all(move.source is None for move in moves),
    )


def _merge(clash: Clash) -> Clash | None:
    """With the merge as ours; None where somebody has to choose. A file that is to go and was changed stays."""
    merge = clash.merge
    if merge is None or not merge.is_clean:
        return None
    return replace(clash, ours=encode_merged(merge.text()))


def _replace_move(move: Move, clash: Clash | None) -> Move:
    if clash is None:
        return move
    source = move.source or move.target
    return replace(move, source=source, content=clash.ours, expected=clash.expected)


def _decide(
    proposal: Proposal,
    files: Sequence[FileProposal],
    wanted: ChosenHunks,
    batch: Batch | None,
    facts: FactComparison | None = None,
) -> None:
    rows = [file.row for file in files]
    for file in files:
        hunks = wanted.get(file.row.pk, ())
        file.row.hunks = sorted(hunks) if hunks else []
        if hunks is None or (hunks and len(hunks) == len(file.hunks)):
            file.row.decision = Decision.ACCEPTED
        else:
            file.row.decision = Decision.PARTLY if hunks else Decision.REJECTED
    decisions = {row.decision for row in rows}
    if decisions == {Decision.ACCEPTED}:
        status = Proposal.Status.ACCEPTED
    elif decisions == {Decision.REJECTED}:
        status = Proposal.Status.REJECTED
    else:
        status = Proposal.Status.PARTLY
    with transaction.atomic():
        ProposedFile.objects.bulk_update(rows, ["decision", "hunks"], batch_size=100)
        proposal.status, proposal.batch, proposal.decided_at = status, batch, now_ms()
        if facts is not None:
            proposal.facts = facts.to_json()
        proposal.save(update_fields=["status", "batch", "decided_at", "facts"])


def _require_open(proposal: Proposal) -> None:
    proposal.refresh_from_db()
    if proposal.status != Proposal.Status.OPEN:
        raise NotOpenError(f"Proposal {proposal.pk} was decided already: {proposal.get_status_display().lower()}.")
