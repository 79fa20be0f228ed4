"""Proposals as pages and commands show them: each file before and after, and its sources."""

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
    """An entry of a session that a text is based on."""

    transcript: int
    entry: str
    """The uuid."""


@dataclass(frozen=True)
class FileProposal:
    """One file of a proposal. `row` says what happens to it."""

    row: ProposedFile
    before: bytes | None
    after: bytes | None

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The pieces that can be accepted one by one; empty for a file that is created or deleted."""
        if self.before is None or self.after is None:
            return ()
        return split_hunks(text_of(self.before), text_of(self.after))

    @cached_property
    def diff(self) -> Diff:
        return from_texts(text_for_editing(self.before or b""), text_for_editing(self.after or b""))

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(Source(*source) for source in self.row.sources)


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """The position of a source in the archive."""

    transcript: Transcript
    position: int


def text_of(data: bytes) -> str:
    """Loses no byte: `memory.files.engine.clash.bytes_of` restores them."""
    return data.decode("utf-8", "surrogateescape")


def proposal_files(proposal: Proposal, *, first: int | None = None, also: str = "") -> list[FileProposal]:
    """Sorted by name. `first`: only this many, and the file with the key `also`, get their contents."""
    rows = list(proposal.files.order_by("name"))
    loaded = [row for index, row in enumerate(rows) if first is None or index < first or str(row.pk) == also]
    blobs = read_blobs({pk for row in loaded for pk in (row.before_id, row.after_id) if pk is not None})
    return [FileProposal(row, blobs.get(row.before_id or 0), blobs.get(row.after_id or 0)) for row in rows]


def proposals_of(directory: Directory) -> QuerySet[Proposal]:
    """Latest first, with the number of files that each changes (`touched`) and deletes (`deleted`)."""
    rows = Proposal.objects.filter(directory=directory).defer("base", "facts")
    deleted = Q(files__action=ProposedFile.Action.DELETED)
    return rows.annotate(touched=Count("files"), deleted=Count("files", filter=deleted)).order_by("-pk")


def locate_sources(files: Iterable[FileProposal]) -> dict[Source, SourceLocation]:
    """The sources that are in the archive."""
    sources = {source for file in files for source in file.sources}
    rows = Transcript.objects.defer("state", "ruler").select_related("project")
    transcripts = rows.in_bulk({source.transcript for source in sources})
    keys = {source.entry: key_of(source.entry) for source in sources}
    entries = Entry.objects.filter(uuid_key__in=set(keys.values())).order_by("pk")
    positions: dict[tuple[int, int | None], int] = {}
    for pk, uuid_key in entries.values_list("pk", "uuid_key"):
        positions.setdefault((pk >> POSITION_BITS, uuid_key), pk & ((1 << POSITION_BITS) - 1))
    return {
        source: SourceLocation(transcripts[source.transcript], positions[key])
        for source in sources
        if source.transcript in transcripts and (key := (source.transcript, keys[source.entry])) in positions
    }
