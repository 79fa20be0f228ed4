"""Whether a context may be sent as it is, and which thinking no longer holds in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compaction.compare.engine.comparison import Comparison
from sessions.lint.engine import Finding, Severity, lint_request
from sessions.transcripts.engine.messages import Message, join_messages, text_block
from sessions.usage.engine.model_facts import facts_of

_PLACE = re.compile(r"messages\[(\d+)\](?:\.content\[(\d+)\])?")
_THINKING = ("thinking", "redacted_thinking")
_DEAD = "dead-thinking"
_NEXT = "(what is typed next)"


@dataclass(frozen=True, slots=True)
class Found:
    finding: Finding
    message: int | None
    """The place of the message that it speaks of; None for the request as a whole."""
    block: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    finding: Finding
    places: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Validity:
    findings: tuple[Found, ...]
    """Thinking apart."""
    dead: tuple[Found, ...]
    """Thinking blocks that stood in the former context and no longer hold in this one."""
    thinking_before: int
    thinking_after: int
    left_out: tuple[int, ...]
    """The places, in the former context, of messages whose thinking was left out because it no longer held."""
    bound: bool | None
    """Whether this model binds thinking to what precedes it; None if that is not known."""
    waiting: bool
    """The context ends with an answer: the next input is still to come, and was taken as given."""

    @property
    def refused(self) -> int:
        return sum(one.finding.severity is Severity.REFUSED for one in self.findings)

    @property
    def groups(self) -> list[Group]:
        """Findings that say the same, once; the gravest first."""
        found: dict[tuple[Severity, str], list[Found]] = {}
        for one in self.findings:
            found.setdefault((one.finding.severity, one.finding.message), []).append(one)
        order = list(Severity)
        groups = [Group(places[0].finding, tuple(places)) for places in found.values()]
        return sorted(groups, key=lambda group: order.index(group.finding.severity))


def validity_of(found: Comparison, model: str) -> Validity:
    """What the API would say of the latter context, made from the former."""
    before, after = found.before, found.after
    array = join_messages(after)
    waiting = bool(array) and array[-1]["role"] == "assistant" and not _calls(array[-1])
    sent = [*array, {"role": "user", "content": [text_block(_NEXT)]}] if waiting else array
    body = {"model": model, "max_tokens": 1, "messages": sent}
    places = {
        id(block): (at, number)
        for at in range(len(after) - 1, -1, -1)
        for number, block in enumerate(after[at].content)
    }
    former = join_messages(before) if thinking_in(after) else None
    findings = [_placed(finding, array, places) for finding in lint_request(body, before=former)]
    facts = facts_of(model)
    return Validity(
        tuple(one for one in findings if one.finding.rule != _DEAD),
        tuple(one for one in findings if one.finding.rule == _DEAD),
        thinking_in(before),
        thinking_in(after),
        tuple(row.before for row in found.rows if row.cause is not None and row.cause.dead and row.before is not None),
        facts.prefix_bound if facts is not None else None,
        waiting,
    )


def thinking_in(messages: Sequence[Message]) -> int:
    return sum(block.get("type") in _THINKING for message in messages for block in message.content)


def _calls(element: dict[str, Any]) -> bool:
    return any(block.get("type") == "tool_use" for block in element["content"])


def _placed(finding: Finding, array: list[dict[str, Any]], places: dict[int, tuple[int, int]]) -> Found:
    match = _PLACE.match(finding.path)
    if match is None or int(match[1]) >= len(array):
        return Found(finding, None)
    content = array[int(match[1])]["content"]
    number = int(match[2] or 0)
    at, block = places.get(id(content[number]), (None, None)) if number < len(content) else (None, None)
    return Found(finding, at, block if match[2] else None)
