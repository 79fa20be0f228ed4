"""Proposals: made from a working copy, and decided by a person. What is accepted is one batch, which can be undone as
a whole. Changes that somebody else made meanwhile are merged; if that is not possible, nothing is written."""

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
from memory.models import Batch, Cause, Directory, Proposal, ProposedFile
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
    """The proposal was decided already."""


class LossError(FileTroubleError):
    """The choice loses facts that the person was not shown."""

    def __init__(self, facts: FactComparison) -> None:
        super().__init__(f"Nothing was written: this would lose {plural(len(facts.lost), 'fact')}, named below.")
        self.facts = facts


@dataclass(frozen=True, slots=True)
class FileReason:
    """What the author of a proposal says about one file."""

    reason: str = ""
    sources: Sequence[Source] = field(default=())


def proposal_create(
    *,
    directory: Directory,
    kind: Proposal.Kind,
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    reasons: Mapping[str, FileReason] | None = None,
    run_id: int | None = None,
    message: str = "",
    contradictions: Sequence[str] = (),
) -> Proposal | None:
    """`before`: the directory when the copy was made; `after`: the copy now. An empty file is proposed for deletion.
    None if nothing would change."""
    left = {name: data for name, data in after.items() if data.strip() or not before.get(name, b"").strip()}
    changes = list(_changes(before, left))
    if not changes:
        return None
    reasons = reasons or {}
    stored = blobs_store(
        contents={
            digest_of(data): data for change in changes for data in (change.before, change.after) if data is not None
        }
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
                action=change.action,
                name=change.name,
                former_name=change.former_name,
                before_id=stored[digest_of(change.before)] if change.before is not None else None,
                after_id=stored[digest_of(change.after)] if change.after is not None else None,
                reason=reasons.get(change.name, FileReason()).reason,
                sources=[list(source) for source in reasons.get(change.name, FileReason()).sources],
            )
            for change in changes
        )
    return proposal


def proposal_accept(*, proposal: Proposal, chosen: ChosenHunks | None = None, seen_losses: str | None = None) -> Batch:
    """Writes what was chosen, or everything, and records what became of the facts. If a file was changed meanwhile,
    both changes are kept where they do not overlap; otherwise nothing is written, and a ChangedMeanwhileError tells
    where. `seen_losses`: the digest of the losses that the person was shown; other losses raise a LossError."""
    _require_open(proposal)
    files = proposal_files(proposal)
    selection: dict[int, Collection[int] | None] = dict.fromkeys((file.row.pk for file in files), None)
    if chosen is not None:
        unknown = chosen.keys() - selection.keys()
        if unknown:
            raise ValueError(f"File {min(unknown)} is none of this proposal's.")
        selection = {pk: hunks for pk, hunks in chosen.items() if hunks is None or hunks}
    facts = fact_counter_of(proposal, files).facts(selection)
    if seen_losses is not None and facts.lost and facts.digest != seen_losses:
        raise LossError(facts)
    locations = locate_sources(files)
    moves = [_move(proposal, file, selection[file.row.pk], locations) for file in files if file.row.pk in selection]
    if not moves:
        raise NothingToChangeError("Nothing was chosen, so nothing was written.")
    try:
        batch = _write_batch(proposal, moves)
    except NothingToChangeError:
        # Everything is written already, by an earlier attempt that was interrupted or by somebody else.
        earlier = batches_of_run(proposal.run_id).first() if proposal.run_id else None
        if earlier is None:
            raise
        batch = earlier
    _decide(proposal, files, selection, batch, facts)
    return batch


def proposal_reject(*, proposal: Proposal) -> None:
    """Leaves the directory as it is, and keeps the proposal to look up."""
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
    """Sorted by name. A file that disappears while another appears with the same content was renamed."""
    removed = {data: name for name, data in before.items() if name not in after and data.strip()}
    renamed: dict[str, str] = {}
    for name in sorted(after.keys() - before.keys()):
        if after[name] in removed:
            renamed[name] = removed.pop(after[name])
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
    """With the merged text as ours; None if a person has to choose, or a file to be deleted was changed."""
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
    selection: ChosenHunks,
    batch: Batch | None,
    facts: FactComparison | None = None,
) -> None:
    rows = [file.row for file in files]
    for file in files:
        hunks = selection.get(file.row.pk, ())
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
