"""Which proposed changes lose no fact, and the directory that a choice of changes results in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from memory.proposals.engine.facts.comparison import FactComparison, compare_facts
from memory.proposals.engine.facts.fact import Fact
from memory.proposals.engine.hunks import Hunk, apply_hunks, split_hunks

ChosenHunks = Mapping[int, Collection[int] | None]
"""By change: the chosen hunks, or None for all of it. A change that is not listed is left out."""

MOST_ROUNDS = 50
"""Each round leaves out what the round before made necessary. After the last, nothing is chosen."""


@dataclass(frozen=True)
class Change:
    number: int
    name: str
    """The new name; for a deleted file, its name."""
    before: bytes | None
    after: bytes | None
    former_name: str = ""

    @property
    def source(self) -> str:
        return self.former_name or self.name

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """Empty for a file that is created or deleted."""
        if self.before is None or self.after is None:
            return ()
        return split_hunks(_text(self.before), _text(self.after))

    def result(self, hunks: Collection[int] | None) -> bytes | None:
        if hunks is None or self.before is None or self.after is None:
            return self.after
        return _text_bytes(apply_hunks(_text(self.before), _text(self.after), hunks))


def apply_changes(contents: Mapping[str, bytes], changes: Iterable[Change], chosen: ChosenHunks) -> dict[str, bytes]:
    """The directory with the chosen changes."""
    after = dict(contents)
    for change in changes:
        if change.number not in chosen:
            continue
        data = change.result(chosen[change.number])
        if change.former_name or data is None:
            after.pop(change.source, None)
        if data is not None:
            after[change.name] = data
    return after


def choose_lossless(contents: Mapping[str, bytes], changes: Sequence[Change]) -> tuple[ChosenHunks, FactComparison]:
    """As much as loses nothing, and what then becomes of the facts. A hunk that removes a fact which stands nowhere
    else is left out, and then every hunk that relied on it, until nothing is lost."""
    selection: dict[int, set[int] | None] = {
        change.number: {hunk.number for hunk in change.hunks} if len(change.hunks) > 1 else None for change in changes
    }
    by_source = {change.source: change for change in changes}
    facts = compare_facts(contents, apply_changes(contents, changes, selection))
    for round_ in count(1):
        if not facts.lost:
            break
        if round_ == MOST_ROUNDS:
            selection.clear()
        for fact in facts.lost:
            _leave_out(selection, by_source[fact.name], fact)
        facts = compare_facts(contents, apply_changes(contents, changes, selection))
    sizes = {change.number: len(change.hunks) for change in changes}
    chosen = {key: None if hunks is None or len(hunks) == sizes[key] else hunks for key, hunks in selection.items()}
    return chosen, facts


def _leave_out(chosen: dict[int, set[int] | None], change: Change, fact: Fact) -> None:
    """Deselects the hunk that removes the fact's line."""
    hunks = chosen.get(change.number)
    if hunks is None:
        chosen.pop(change.number, None)
        return
    guilty = {hunk.number for hunk in change.hunks if hunk.old_start < fact.line <= hunk.old_start + len(hunk.old)}
    hunks -= guilty
    if not guilty or not hunks:
        del chosen[change.number]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _text_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
