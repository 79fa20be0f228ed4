"""What changed in a text, word by word.

Lines that both sides have once are fixed points, found in one pass; only what lies between two of them is compared word
by word, and only as long as that is cheap. A stretch that is too long for it counts as replaced.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from compaction.compare.engine.longest_increasing import rising
from sessions.text.engine.diffs import common_ends

STRETCH = 250_000
"""Words of the one side times words of the other that are compared at once: difflib is quadratic."""
TOTAL = 1_500_000
"""The same of a whole text."""
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
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
class Room:
    """What may still be compared; texts of one page share it."""

    left: int = TOTAL


def word_diff(old: str, new: str, room: Room | None = None) -> tuple[Stretch, ...]:
    """What is `same` or `removed` is the old text, what is `same` or `added` the new one."""
    if old == new:
        return (Stretch("same", old),) if old else ()
    room = room or Room()
    found = (one for part in _parts(_lines(old), _lines(new)) for one in _compared(*part, room))
    return tuple(_joined(found))


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _parts(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Both texts in step: stretches that are the same, and those that have to be looked at."""
    head, tail = common_ends(old, new)
    yield "".join(old[:head]), "".join(new[:head])
    inner, other = old[head : len(old) - tail], new[head : len(new) - tail]
    at, to = 0, 0
    for here, there in [*_fixed(inner, other), (len(inner), len(other))]:
        yield "".join(inner[at:here]), "".join(other[to:there])
        yield "".join(inner[here : here + 1]), "".join(other[there : there + 1])
        at, to = here + 1, there + 1
    yield "".join(old[len(old) - tail :]), "".join(new[len(new) - tail :])


def _fixed(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Lines that stand once on each side, the most of them that are in one order."""
    once = {line for line, count in Counter(old).items() if count == 1}
    twice = Counter(new)
    there = {line: at for at, line in enumerate(new) if twice[line] == 1 and line in once}
    pairs = [(at, there[line]) for at, line in enumerate(old) if line in there]
    return rising(pairs)


def _compared(old: str, new: str, room: Room) -> Iterator[Stretch]:
    if old == new:
        yield Stretch("same", old)
        return
    left, right = _WORD.findall(old), _WORD.findall(new)
    head, tail = common_ends(left, right)
    yield Stretch("same", "".join(left[:head]))
    yield from _middle(left[head : len(left) - tail], right[head : len(right) - tail], room)
    yield Stretch("same", "".join(left[len(left) - tail :]))


def _middle(left: list[str], right: list[str], room: Room) -> Iterator[Stretch]:
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
    """Spaces and marks are the same everywhere, and say nothing."""
    return sum(len(word) for word in words if word[0].isalnum())


def _joined(stretches: Iterable[Stretch]) -> Iterator[Stretch]:
    """Neighbours of a kind are one, what was removed stands before what came, and a space between changes is no word
    that stayed."""
    removed, added, space = "", "", ""
    same = ""
    for one in stretches:
        if not one.text:
            continue
        if one.kind == "same":
            if (removed or added) and not same and one.text.isspace() and "\n" not in one.text:
                space += one.text
                continue
            if removed or added:
                if removed:
                    yield Stretch("removed", removed)
                if added:
                    yield Stretch("added", added)
                removed, added = "", ""
                same, space = space, ""
            same += one.text
            continue
        if same:
            yield Stretch("same", same)
            same = ""
        removed, added, space = removed + space, added + space, ""
        if one.kind == "removed":
            removed += one.text
        else:
            added += one.text
    if removed:
        yield Stretch("removed", removed)
    if added:
        yield Stretch("added", added)
    if same or space:
        yield Stretch("same", same + space)


def elided(stretches: Sequence[Stretch], around: int, longest: int) -> tuple[Stretch, ...]:
    """What stayed only as far as it surrounds a change, and of what changed the beginning."""
    found: list[Stretch] = []
    for number, one in enumerate(stretches):
        if one.kind != "same":
            found += _cut(one, longest, 0)
        elif number == 0:
            found += _cut(one, 0, around)
        elif number == len(stretches) - 1:
            found += _cut(one, around, 0)
        else:
            found += _cut(one, around, around)
    return tuple(found)


def _cut(one: Stretch, head: int, tail: int) -> list[Stretch]:
    """The first characters and the last, up to where a word ends and from where one begins."""
    text = one.text
    first = text.rfind(" ", max(0, head - _LONG_WORD), head) + 1 or head
    last = len(text) - tail
    space = text.find(" ", last, last + _LONG_WORD) if tail else -1
    last = last if space < 0 else space
    if last - first <= _NEAR:
        return [one]
    parts = (Stretch(one.kind, text[:first]), Stretch(one.kind, "", last - first), Stretch(one.kind, text[last:]))
    return [part for part in parts if part.text or part.elided]
