"""What becomes of the facts of a directory if some changes of a proposal are accepted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.files.selectors.disk_contents import read_contents
from memory.models import Proposal
from memory.proposals.engine.facts import (
    Change,
    ChosenHunks,
    FactComparison,
    apply_changes,
    choose_lossless,
    compare_facts,
)
from memory.proposals.selectors.proposals import FileProposal
from sessions.transcripts.engine.paths import decode_path


@dataclass(frozen=True, slots=True)
class FactCounter:
    """A directory and the proposed changes. The files that change are as they were when the copy was made, because the
    hunks refer to that."""

    contents: dict[str, bytes]
    changes: tuple[Change, ...]

    def facts(self, chosen: ChosenHunks | None = None) -> FactComparison:
        """The facts if `chosen` is accepted; None: everything."""
        selection = dict.fromkeys((change.number for change in self.changes), None) if chosen is None else chosen
        return compare_facts(self.contents, apply_changes(self.contents, self.changes, selection))

    def lossless(self) -> tuple[ChosenHunks, FactComparison]:
        return choose_lossless(self.contents, self.changes)


def fact_counter_of(proposal: Proposal, files: Sequence[FileProposal]) -> FactCounter:
    """`files`: all files of the proposal, with contents."""
    changes = tuple(Change(file.row.pk, file.row.name, file.before, file.after, file.row.former_name) for file in files)
    contents = read_contents(path=Path(decode_path(proposal.directory.path)))
    contents |= {change.source: change.before for change in changes if change.before is not None}
    return FactCounter(contents, changes)
