"""What a page tells about the prompt before the messages: its sections, who shares them, and the reasons for the places
and lifetimes of its marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sessions.context.engine import Context
from sessions.requests.engine.anatomy import Anatomy
from sessions.requests.engine.global_scope import global_scope_sentence, third_party
from sessions.requests.engine.lifetime_reasons import Asker, LifetimeReason, Written, lifetime_reasons, source_of
from sessions.requests.engine.mark_places import MarkPlace, mark_places
from sessions.requests.engine.prompt_sections import Change, PromptSection, prompt_sections
from sessions.requests.engine.section_changes import compare_sections
from sessions.requests.engine.sent_marks import marks_of
from sessions.timeline.engine.cards.lens import Mask


@dataclass(frozen=True, slots=True)
class PromptReport:
    sections: tuple[PromptSection, ...]
    scope: str
    """A sentence on who shares the cache of the system prompt; empty if nothing is known."""
    marks: tuple[MarkPlace, ...]
    lifetimes: tuple[LifetimeReason, ...]
    has_former: bool
    """The request before is known, at least in part."""

    @property
    def changed(self) -> tuple[PromptSection, ...]:
        return tuple(row for row in self.sections if row.change in (Change.CHANGED, Change.NEW, Change.GONE))

    @property
    def has_unknown(self) -> bool:
        return any(row.change is Change.UNKNOWN for row in self.sections)

    def to_json(self) -> dict[str, Any]:
        """Without the words of the sections. None stands for what nobody knows."""
        return {
            "sections": [
                {
                    "title": row.title,
                    "kind": row.part.kind.name if row.part.kind is not None else None,
                    "place": row.place,
                    "scope": row.scope or None,
                    "computed": row.computed or None,
                    "tokens": row.tokens,
                    "percent": row.percent,
                    "change": str(row.change),
                    "reason": row.reason or None,
                }
                for row in self.sections
            ],
            "scope": self.scope or None,
            "marks": [{**place.mark._asdict(), "why": place.sentence} for place in self.marks],
            "lifetimes": [
                {"lifetime": reason.title, "marks": list(reason.paths), "why": " ".join(reason.sentences)}
                for reason in self.lifetimes
            ],
        }


def prompt_report(
    sent: Context,
    anatomy: Anatomy,
    before: Context | None,
    history: Sequence[Written],
    mask: Mask,
    *,
    is_subagent: bool = False,
    copies: str = "",
    is_lucid: bool = False,
) -> PromptReport:
    """`before`: the previous request of the same source; `history`: what its requests wrote; `copies`: what a fork of
    Lucid continues; `is_lucid`: whether Lucid asked."""
    marks = marks_of(sent.setup, sent.elements)
    sections = prompt_sections(sent.setup, sent.elements, marks, _block_tokens(anatomy))
    scope = global_scope_sentence(
        sent.setup, sections, message_id=sent.request, model=sent.model, is_subagent=is_subagent
    )
    if before is not None:
        sections = compare_sections(sections, before.setup, before.elements, mask)
    asker = replace(_asker(sent, is_subagent=is_subagent), copies=copies, is_lucid=is_lucid)
    return PromptReport(
        sections,
        scope,
        mark_places(sent.setup, sent.elements, marks),
        lifetime_reasons(list(marks.values()), asker, history),
        before is not None,
    )


def _asker(sent: Context, *, is_subagent: bool) -> Asker:
    captured = sent.captured
    headers: Mapping[str, str] = {} if captured is None else captured.headers
    recorded = "" if sent.logged is None else sent.logged.source
    source, is_recorded = source_of(recorded, headers, is_subagent=is_subagent)
    overage = None if captured is None else captured.overage
    return Asker(source, is_recorded, third_party(sent.request, sent.model), overage)


def _block_tokens(anatomy: Anatomy) -> dict[str, tuple[int, int]]:
    return {part.place: (part.tokens, part.chars) for section in anatomy.sections for part in section.parts}
