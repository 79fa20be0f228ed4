"""Which of the proposed changes can be made without losing a fact, and what a choice of them makes of the directory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from memory.proposals.engine.facts.comparison import FactComparison, compare_facts
from memory.proposals.engine.facts.fact import Fact
from memory.proposals.engine.hunks import Hunk, apply_hunks, split_hunks

ChosenHunks = Mapping[int, Collection[int] | None]
"""By change: the hunks that are taken, or None for the change as a whole. Others are left."""


MOST_ROUNDS = 50
"""After which nothing is taken: each round leaves out what the one before made necessary."""


@dataclass(frozen=True)
class Change:
    number: int
    name: str
    """What the file is to be called; of one that goes, what it is called."""
    before: bytes | None
    after: bytes | None
    former_name: str = ""

    @property
    def source(self) -> str:
        return self.former_name or self.name

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """None of a file that comes or goes."""
        if self.before is None or self.after is None:
            return ()
        return split_hunks(_text(self.before), _text(self.after))

    def result(self, taken: Collection[int] | None) -> bytes | None:
        if taken is None or self.before is None or self.after is None:
            return self.after
        return _text_bytes(apply_hunks(_text(self.before), _text(self.after), taken))


def apply_changes(contents: Mapping[str, bytes], changes: Iterable[Change], chosen: ChosenHunks) -> dict[str, bytes]:
    """The directory with what was chosen."""
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
    """As much of it as loses nothing, and what then becomes of the facts. Whatever takes away a fact that stands
    nowhere else is left out, and then what only that would have replaced, until nothing is lost."""
    taken: dict[int, set[int] | None] = {
        change.number: {hunk.number for hunk in change.hunks} if len(change.hunks) > 1 else None for change in changes
    }
    by_source = {change.source: change for change in changes}
    facts = compare_facts(contents, apply_changes(contents, changes, taken))
    for round_ in count(1):
        if not facts.lost:
            break
        if round_ == MOST_ROUNDS:
            taken.clear()
        for fact in facts.lost:
            _leave_out(taken, by_source[fact.name], fact)
        facts = compare_facts(contents, apply_changes(contents, changes, taken))
    whole = {change.number: len(change.hunks) for change in changes}
    chosen = {one: None if some is None or len(some) == whole[one] else some for one, some in taken.items()}
    return chosen, facts


def _leave_out(taken: dict[int, set[int] | None], change: Change, fact: Fact) -> None:
    """Without what takes that line out of its file."""
    some = taken.get(change.number)
    if some is None:
        taken.pop(change.number, None)
        return
    guilty = {one.number for one in change.hunks if one.old_start < fact.line <= one.old_start + len(one.old)}
    some -= guilty
    if not guilty or not some:
        del taken[change.number]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _text_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
