"""Proposals as pages and commands show them: what each file held and would hold, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from memory.files.engine.newlines import text_for_editing
from memory.history.selectors.contents import read_blobs
from memory.models import Directory, Proposal, ProposedFile
from memory.proposals.engine.hunks import Hunk, split_hunks
from sessions.models import Entry, Transcript
from sessions.text.engine.diffs import Diff, from_texts
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.keys import key_of


class Source(NamedTuple):
    """An entry of a session that a text comes from."""

    transcript: int
    entry: str
    """Its uuid."""


@dataclass(frozen=True)
class FileProposal:
    """One file of a proposal. `row` says what is to become of it."""

    row: ProposedFile
    before: bytes | None
    after: bytes | None

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The pieces that can be taken or left; none of a file that is made or deleted."""
        if self.before is None or self.after is None:
            return ()
        return split_hunks(text_of(self.before), text_of(self.after))

    @cached_property
    def diff(self) -> Diff:
        return from_texts(text_for_editing(self.before or b""), text_for_editing(self.after or b""))

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(Source(*one) for one in self.row.sources)


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """Where a source stands."""

    transcript: Transcript
    position: int


def text_of(data: bytes) -> str:
    """Every byte can be had back, with `memory.files.engine.clash.bytes_of`."""
    return data.decode("utf-8", "surrogateescape")


def proposal_files(proposal: Proposal, *, first: int | None = None, also: str = "") -> list[FileProposal]:
    """In the order of their names. `first`: only so many, and the one with the key `also`, come with their contents."""
    rows = list(proposal.files.order_by("name"))
    wanted = [row for at, row in enumerate(rows) if first is None or at < first or str(row.pk) == also]
    held = read_blobs({pk for row in wanted for pk in (row.before_id, row.after_id) if pk is not None})
    return [FileProposal(row, held.get(row.before_id or 0), held.get(row.after_id or 0)) for row in rows]


def proposals_of(directory: Directory) -> QuerySet[Proposal]:
    """The latest first, with how many files each touches (`touched`) and deletes (`deleted`)."""
    rows = Proposal.objects.filter(directory=directory).defer("base", "facts")
    deleted = Q(files__action=ProposedFile.Action.DELETED)
    return rows.annotate(touched=Count("files"), deleted=Count("files", filter=deleted)).order_by("-pk")


def locate_sources(files: Iterable[FileProposal]) -> dict[Source, SourceLocation]:
    """Those of them that are in the archive."""
    wanted = {source for file in files for source in file.sources}
    transcripts = Transcript.objects.defer("state", "ruler").select_related("project")
    known = transcripts.in_bulk({source.transcript for source in wanted})
    keys = {source.entry: key_of(source.entry) for source in wanted}
    rows = Entry.objects.filter(uuid_key__in=set(keys.values())).order_by("pk")
    places: dict[tuple[int, int | None], int] = {}
    for pk, key in rows.values_list("pk", "uuid_key"):
        places.setdefault((pk >> POSITION_BITS, key), pk & ((1 << POSITION_BITS) - 1))
    return {
        source: SourceLocation(known[source.transcript], places[at])
        for source in wanted
        if source.transcript in known and (at := (source.transcript, keys[source.entry])) in places
    }
