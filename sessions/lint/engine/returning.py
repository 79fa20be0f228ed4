"""Thinking that comes back to the API other than it came from it.

In the latest turn the blocks of an answer come back as they were, all of them and in their order, or none of them does.
Models whose thinking is bound to what precedes it also take an answer without its first blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.reading import (
    THINKING,
    Request,
    Section,
    Spot,
    rows_of,
    sections_of,
    spots_of,
    text_of,
)
from sessions.lint.engine.rules.thinking import latest_loop
from sessions.transcripts.engine.messages import Block
from sessions.usage.engine.model_facts import facts_of
from sessions.usage.engine.model_names import bare_name

_MODIFIED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must "
    "remain as they were in the original response."
)


@dataclass(frozen=True, slots=True)
class Altered:
    spot: Spot
    original: Block | None
    """The block as it came; None if it is whole, but others of its answer are missing or elsewhere."""
    answer: tuple[Spot, ...]
    """All thinking of its answer."""

    @property
    def finding(self) -> Finding:
        what = "is not what the model wrote" if self.original else "is not all that its answer thought, in its order"
        return Finding(
            "altered-thinking",
            Severity.REFUSED,
            self.spot.path,
            f"This thinking of the latest turn {what}.",
            "Send the thinking of the answer as it came, or none of it.",
            f"{self.spot.api_path}: {_MODIFIED}",
        )


def altered_thinking(before: object, sections: list[Section], model: str | None) -> Iterator[Altered]:
    """Of the latest turn, one for each answer at most; `before` is what the request was made from."""
    facts = facts_of(model)
    bound = facts is not None and facts.prefix_bound is True
    known, now = _known(_sections(before)), _known(sections)
    known = {name: found for name, found in known.items() if name in now}
    for section in latest_loop(sections):
        thoughts = spots_of(section, *THINKING)
        edited = next((spot for spot in thoughts if _differs(spot.block, known)), None)
        names = [_name(spot.block) for spot in thoughts]
        if edited is not None:
            yield Altered(edited, known[_name(edited.block)][0], tuple(thoughts))
        elif not bound and names and names[0] in known and names != known[names[0]][1]:
            yield Altered(thoughts[0], None, tuple(thoughts))


def _known(sections: list[Section]) -> dict[str, tuple[Block, list[str]]]:
    """Each thinking block and those of its answer, by signature; not where different blocks bear the same, as they do
    in transcripts whose signatures were blotted out."""
    known: dict[str, tuple[Block, list[str]]] = {}
    shared = {""}
    for section in sections:
        thoughts = spots_of(section, *THINKING)
        names = [_name(spot.block) for spot in thoughts]
        for name, spot in zip(names, thoughts, strict=True):
            if known.setdefault(name, (spot.block, names))[0].get("thinking") != spot.block.get("thinking"):
                shared.add(name)
    return {name: found for name, found in known.items() if name not in shared}


def thinking_of_another_model(before: object, request: Request) -> Iterator[Finding]:
    """After a switch: what is known of it differs, so this is a note."""
    earlier = text_of(before.get("model")) if isinstance(before, Mapping) else ""
    thinking = [spot for spot in request.spots if spot.type in THINKING]
    if not earlier or not thinking or bare_name(earlier) == bare_name(request.model):
        return
    if not _same_conversation(before, request):
        return
    yield Finding(
        "foreign-thinking",
        Severity.NOTE,
        thinking[0].path,
        f"The request before this one went to {earlier}. Another model may refuse its thinking, or lose it silently.",
        "Leave out all thinking of before the switch.",
        f"{thinking[0].api_path}: Invalid `signature` in `thinking` block",
    )


def _same_conversation(before: object, request: Request) -> bool:
    earlier = _sections(before)
    if not earlier or not request.sections:
        return False
    first, now = spots_of(earlier[0])[0].block, spots_of(request.sections[0])[0].block
    return bool(first.get("text")) and first.get("text") == now.get("text")


def _sections(side: object) -> list[Section]:
    messages = side.get("messages") if isinstance(side, Mapping) else side
    return sections_of(rows_of(messages)) if isinstance(messages, list | tuple) else []


def _differs(block: Block, known: Mapping[str, tuple[Block, list[str]]]) -> bool:
    """Text that was not shown is empty, and whatever is sent in its place is not looked at."""
    original = known.get(_name(block), (block, []))[0].get("thinking")
    return bool(original) and block.get("thinking") != original


def _name(block: Mapping[str, Any]) -> str:
    return text_of(block.get("signature")) or text_of(block.get("data"))
