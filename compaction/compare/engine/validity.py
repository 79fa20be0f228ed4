"""Whether a context may be sent as it is, and which thinking in it is no longer valid."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compaction.compare.engine.comparison import Comparison
from sessions.lint.engine import Finding, Severity, lint_request
from sessions.transcripts.engine.messages import THINKING_TYPES, Message, join_messages, text_block
from sessions.usage.engine.model_facts import facts_of

_PLACE = re.compile(r"messages\[(\d+)\](?:\.content\[(\d+)\])?")
_DEAD = "dead-thinking"
_NEXT = "(what is typed next)"


@dataclass(frozen=True, slots=True)
class LocatedFinding:
    finding: Finding
    message: int | None
    """The place of the message that it speaks of; None for the request as a whole."""
    block: int | None = None


@dataclass(frozen=True, slots=True)
class FindingGroup:
    finding: Finding
    places: tuple[LocatedFinding, ...]


@dataclass(frozen=True, slots=True)
class Validity:
    findings: tuple[LocatedFinding, ...]
    """Thinking apart."""
    dead: tuple[LocatedFinding, ...]
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
        return sum(item.finding.severity is Severity.REFUSED for item in self.findings)

    @property
    def groups(self) -> list[FindingGroup]:
        """Equal findings once, the most severe first."""
        findings: dict[tuple[Severity, str], list[LocatedFinding]] = {}
        for item in self.findings:
            findings.setdefault((item.finding.severity, item.finding.message), []).append(item)
        order = list(Severity)
        groups = [FindingGroup(places[0].finding, tuple(places)) for places in findings.values()]
        return sorted(groups, key=lambda group: order.index(group.finding.severity))


def check_validity(comparison: Comparison, model: str, *, edited_by_api: bool = False) -> Validity:
    """What the API would say about the later context, made from the earlier one. Its own edits kill no thinking."""
    before, after = comparison.before, comparison.after
    array = join_messages(after)
    # Newer clients attach with the role `system`, which may stand behind an answer.
    last = next((element for element in reversed(array) if element["role"] != "system"), None)
    waiting = last is not None and last["role"] == "assistant" and not _has_calls(last)
    sent = [*array, {"role": "user", "content": [text_block(_NEXT)]}] if waiting else array
    body = {"model": model, "max_tokens": 1, "messages": sent}
    places = {
        id(block): (index, number)
        for index in range(len(after) - 1, -1, -1)
        for number, block in enumerate(after[index].content)
    }
    former = join_messages(before) if count_thinking(after) and not edited_by_api else None
    findings = [_locate(finding, array, places) for finding in lint_request(body, before=former)]
    facts = facts_of(model)
    return Validity(
        tuple(item for item in findings if item.finding.rule != _DEAD),
        tuple(item for item in findings if item.finding.rule == _DEAD),
        count_thinking(before),
        count_thinking(after),
        tuple(
            row.before for row in comparison.rows if row.cause is not None and row.cause.dead and row.before is not None
        ),
        facts.prefix_bound if facts is not None else None,
        waiting,
    )


def count_thinking(messages: Sequence[Message]) -> int:
    return sum(block.get("type") in THINKING_TYPES for message in messages for block in message.content)


def _has_calls(element: dict[str, Any]) -> bool:
    return any(block.get("type") == "tool_use" for block in element["content"])


def _locate(finding: Finding, array: list[dict[str, Any]], places: dict[int, tuple[int, int]]) -> LocatedFinding:
    match = _PLACE.match(finding.path)
    if match is None or int(match[1]) >= len(array):
        return LocatedFinding(finding, None)
    content = array[int(match[1])]["content"]
    number = int(match[2] or 0)
    message_index, block = places.get(id(content[number]), (None, None)) if number < len(content) else (None, None)
    return LocatedFinding(finding, message_index, block if match[2] else None)
