"""Thinking that is sent back to the API in another form than the API sent it.

In the latest turn the thinking blocks of an answer must be sent back unchanged, all of them in order, or not at all.
Models whose thinking is bound to what precedes it also accept an answer without its first blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import (
    BlockSpot,
    ParsedRequest,
    RoleSection,
    join_sections,
    read_rows,
    spots_of,
    text_of,
)
from sessions.lint.engine.rules.thinking import latest_turn
from sessions.transcripts.engine.messages import THINKING_TYPES, Block
from sessions.usage.engine.model_facts import facts_of
from sessions.usage.engine.model_names import bare_name

_MODIFIED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must "
    "remain as they were in the original response."
)


@dataclass(frozen=True, slots=True)
class AlteredThinking:
    spot: BlockSpot
    original: Block | None
    """The block as the API sent it; None if it is unchanged, but others of its answer are missing or out of order."""
    answer: tuple[BlockSpot, ...]
    """All thinking of its answer."""

    @property
    def finding(self) -> Finding:
        flaw = "is not what the model wrote" if self.original else "is not all that its answer thought, in its order"
        return Finding(
            "altered-thinking",
            Severity.REFUSED,
            self.spot.path,
            f"This thinking of the latest turn {flaw}.",
            "Send the thinking of the answer as it came, or none of it.",
            f"{self.spot.api_path}: {_MODIFIED}",
        )


def altered_thinking(before: object, sections: list[RoleSection], model: str | None) -> Iterator[AlteredThinking]:
    """Altered thinking of the latest turn, at most one for each answer. `before`: what the request was made from."""
    facts = facts_of(model)
    bound = facts is not None and facts.prefix_bound is True
    original, current = _index_thinking(_sections(before)), _index_thinking(sections)
    original = {name: entry for name, entry in original.items() if name in current}
    for section in latest_turn(sections):
        thoughts = spots_of(section, *THINKING_TYPES)
        edited = next((spot for spot in thoughts if _was_edited(spot.block, original)), None)
        names = [_signature(spot.block) for spot in thoughts]
        if edited is not None:
            yield AlteredThinking(edited, original[_signature(edited.block)][0], tuple(thoughts))
        elif not bound and names and names[0] in original and names != original[names[0]][1]:
            yield AlteredThinking(thoughts[0], None, tuple(thoughts))


def _index_thinking(sections: list[RoleSection]) -> dict[str, tuple[Block, list[str]]]:
    """Each thinking block and those of its answer, by signature. Signatures of several different blocks are left out:
    some transcripts have their signatures blotted out."""
    index: dict[str, tuple[Block, list[str]]] = {}
    shared = {""}
    for section in sections:
        thoughts = spots_of(section, *THINKING_TYPES)
        names = [_signature(spot.block) for spot in thoughts]
        for name, spot in zip(names, thoughts, strict=True):
            if index.setdefault(name, (spot.block, names))[0].get("thinking") != spot.block.get("thinking"):
                shared.add(name)
    return {name: entry for name, entry in index.items() if name not in shared}


def check_foreign_thinking(before: object, request: ParsedRequest) -> Iterator[Finding]:
    """Thinking after a switch of the model. Models treat it differently, so this is only a note."""
    earlier = text_of(before.get("model")) if isinstance(before, Mapping) else ""
    thinking = [spot for spot in request.spots if spot.type in THINKING_TYPES]
    if not earlier or not thinking or bare_name(earlier) == bare_name(request.model):
        return
    if not _is_same_conversation(before, request):
        return
    yield Finding(
        "foreign-thinking",
        Severity.NOTE,
        thinking[0].path,
        f"The request before this one went to {earlier}. Another model may refuse its thinking, or lose it silently.",
        "Leave out all thinking of before the switch.",
        f"{thinking[0].api_path}: Invalid `signature` in `thinking` block",
    )


def _is_same_conversation(before: object, request: ParsedRequest) -> bool:
    earlier = _sections(before)
    if not earlier or not request.sections:
        return False
    first, now = spots_of(earlier[0])[0].block, spots_of(request.sections[0])[0].block
    return bool(first.get("text")) and first.get("text") == now.get("text")


def _sections(side: object) -> list[RoleSection]:
    messages = side.get("messages") if isinstance(side, Mapping) else side
    return join_sections(read_rows(messages)) if isinstance(messages, list | tuple) else []


def _was_edited(block: Block, index: Mapping[str, tuple[Block, list[str]]]) -> bool:
    """Was the text of the block changed? If the API sent no text, it does not check what is sent back."""
    original = index.get(_signature(block), (block, []))[0].get("thinking")
    return bool(original) and block.get("thinking") != original


def _signature(block: Mapping[str, Any]) -> str:
    return text_of(block.get("signature")) or text_of(block.get("data"))
