"""Which sections of a prompt changed since the previous request, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.rendering.array import Element
from sessions.requests.engine.prompt_sections import Change, PromptSection, RawSection, opening_parts, system_parts
from sessions.text.engine.diffs import Diff, from_texts, mark_words
from sessions.timeline.engine.cards.lens import Mask


def compare_sections(
    sections: Sequence[PromptSection], setup: RequestSetup, elements: Sequence[Element], mask: Mask
) -> tuple[PromptSection, ...]:
    """Compares the sections with the previous request, whose system prompt may not be recorded. Equal sections are
    paired first, then those with the same heading in their order; removed ones come last."""
    left = [*system_parts(setup.system or ()), *opening_parts(elements)]
    compared = list(sections)
    for index, section in enumerate(sections):
        same = next((part for part in left if _same(part, section.part)), None)
        if same is not None:
            left.remove(same)
            compared[index] = replace(section, change=Change.SAME)
    for index, section in enumerate(compared):
        if section.change is Change.SAME or not (section.part.is_message or setup.system is not None):
            continue
        former = next((part for part in left if part.key == section.part.key), None)
        if former is None:
            compared[index] = replace(section, change=Change.NEW)
        else:
            left.remove(former)
            diff = _diff(former.words, section.part.words, mask)
            compared[index] = replace(section, change=Change.CHANGED, diff=diff)
    return (*compared, *(PromptSection(part, 0, 0, "", None, Change.GONE) for part in left))


def _same(former: RawSection, section: RawSection) -> bool:
    if former.key != section.key:
        return False
    if former.is_last and section.is_last:
        return former.words == section.words
    # The line breaks before a next section belong to neither.
    return former.words.rstrip("\n") == section.words.rstrip("\n")


def _diff(old: str, new: str, mask: Mask) -> Diff:
    diff = from_texts(mask(old), mask(new))
    return Diff(tuple(map(mark_words, diff.hunks)))
