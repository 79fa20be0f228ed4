"""What changed in a text, word by word.

Lines that are unique on both sides are fixed points, found in one pass. Only the text between two of them is compared
word by word; if it is too long for that, it counts as replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from sessions.text.engine.diffs import split_words
from sessions.text.engine.matching import common_ends, unique_pairs

STRETCH = 250_000
"""Words of the one side times words of the other that are compared at once: difflib is quadratic."""
TOTAL = 1_500_000
"""The same of a whole text."""
_LONG_WORD = 24
_NEAR = 40
"""Fewer characters than these are shown rather than left out."""
_LEAST = 0.15
"""So much of the words has to be the same, or the stretch counts as replaced."""


class Stretch(NamedTuple):
    kind: Literal["same", "removed", "added"]
    text: str
    elided: int = 0
    """Characters that are not shown; there is no text then."""


@dataclass(slots=True)
class DiffAllowance:
    """How much may still be compared. All texts of a page share it."""

    left: int = TOTAL


def word_diff(old: str, new: str, room: DiffAllowance | None = None) -> tuple[Stretch, ...]:
    """The `same` and `removed` stretches make the old text, the `same` and `added` ones the new text."""
    if old == new:
        return (Stretch("same", old),) if old else ()
    room = room or DiffAllowance()
    stretches = (stretch for part in _parts(_lines(old), _lines(new)) for stretch in _diff(*part, room))
    return tuple(_join(stretches))


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _parts(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Both texts in parallel: parts that are the same, and parts that must be compared."""
    head, tail = common_ends(old, new)
    yield "".join(old[:head]), "".join(new[:head])
    inner, other = old[head : len(old) - tail], new[head : len(new) - tail]
    next_old, next_new = 0, 0
    for old_index, new_index in [*unique_pairs(inner, other), (len(inner), len(other))]:
        yield "".join(inner[next_old:old_index]), "".join(other[next_new:new_index])
        yield "".join(inner[old_index : old_index + 1]), "".join(other[new_index : new_index + 1])
        next_old, next_new = old_index + 1, new_index + 1
    yield "".join(old[len(old) - tail :]), "".join(new[len(new) - tail :])


def _diff(old: str, new: str, room: DiffAllowance) -> Iterator[Stretch]:
    if old == new:
        yield Stretch("same", old)
        return
    left, right = split_words(old), split_words(new)
    head, tail = common_ends(left, right)
    yield Stretch("same", "".join(left[:head]))
    yield from _middle(left[head : len(left) - tail], right[head : len(right) - tail], room)
    yield Stretch("same", "".join(left[len(left) - tail :]))


def _middle(left: list[str], right: list[str], room: DiffAllowance) -> Iterator[Stretch]:
    cost = len(left) * len(right)
    codes = None
    if 0 < cost <= min(STRETCH, room.left):
        room.left -= cost
        codes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
        alike = sum(_weight(left[i:j]) for tag, i, j, _, _ in codes if tag == "equal")
        codes = codes if alike > _LEAST * min(_weight(left), _weight(right)) else None
    for tag, i, j, k, m in codes or [("replace", 0, len(left), 0, len(right))]:
        if tag == "equal":
            yield Stretch("same", "".join(left[i:j]))
        else:
            yield Stretch("removed", "".join(left[i:j]))
            yield Stretch("added", "".join(right[k:m]))


def _weight(words: Iterable[str]) -> int:
    """Spaces and punctuation are the same everywhere, so they count nothing."""
    return sum(len(word) for word in words if word[0].isalnum())


def _join(stretches: Iterable[Stretch]) -> Iterator[Stretch]:
    """Joins neighbours of one kind, puts removed words before added ones, and counts a space between changes as
    changed."""
    removed, added, space = "", "", ""
    same = ""
    for stretch in stretches:
        if not stretch.text:
            continue
        if stretch.kind == "same":
            if (removed or added) and not same and stretch.text.isspace() and "\n" not in stretch.text:
                space += stretch.text
                continue
            if removed or added:
                if removed:
                    yield Stretch("removed", removed)
                if added:
                    yield Stretch("added", added)
                removed, added = "", ""
                same, space = space, ""
            same += stretch.text
            continue
        if same:
            yield Stretch("same", same)
            same = ""
        removed, added, space = removed + space, added + space, ""
        if stretch.kind == "removed":
            removed += stretch.text
        else:
            added += stretch.text
    if removed:
        yield Stretch("removed", removed)
    if added:
        yield Stretch("added", added)
    if same or space:
        yield Stretch("same", same + space)


def elide(stretches: Sequence[Stretch], around: int, longest: int) -> tuple[Stretch, ...]:
    """Cuts unchanged text to the surroundings of a change, and changed text to its beginning."""
    shortened: list[Stretch] = []
    for number, stretch in enumerate(stretches):
        if stretch.kind != "same":
            shortened += _cut(stretch, longest, 0)
        elif number == 0:
            shortened += _cut(stretch, 0, around)
        elif number == len(stretches) - 1:
            shortened += _cut(stretch, around, 0)
        else:
            shortened += _cut(stretch, around, around)
    return tuple(shortened)


def _cut(stretch: Stretch, head: int, tail: int) -> list[Stretch]:
    """The first and the last characters, cut between words."""
    text = stretch.text
    first = text.rfind(" ", max(0, head - _LONG_WORD), head) + 1 or head
    last = len(text) - tail
    space = text.find(" ", last, last + _LONG_WORD) if tail else -1
    last = last if space < 0 else space
    if last - first <= _NEAR:
        return [stretch]
    parts = (
        Stretch(stretch.kind, text[:first]),
        Stretch(stretch.kind, "", last - first),
        Stretch(stretch.kind, text[last:]),
    )
    return [part for part in parts if part.text or part.elided]
