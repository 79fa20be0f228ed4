"""Why a prompt is larger or smaller than the one before it: parts that add up to the difference, to the token."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sessions.context.engine.changes import ChangeKind, Changes
from sessions.context.engine.presentation.changes import Compared
from sessions.text.engine.words import plural
from sessions.weights.engine import Basis, PromptSize, Weight, combine
from sessions.weights.engine.prompt_size import MESSAGES_ONLY, WHOLE_PROMPT


@dataclass(frozen=True, slots=True)
class DifferencePart:
    label: str
    tokens: int
    """Below zero for what is no longer sent."""
    basis: Basis = Basis.APPORTIONED

    @property
    def mark(self) -> str:
        return "" if self.basis is Basis.MEASURED else "~"


@dataclass(frozen=True, slots=True)
class PromptDifference:
    of: str
    """The whole prompt, or messages only where nothing tells what stands before them."""
    before: Weight
    after: Weight
    parts: tuple[DifferencePart, ...]
    """They add up to the difference."""

    @property
    def tokens(self) -> int:
        return round(self.after.tokens) - round(self.before.tokens)


def difference_of(changes: Changes, compared: Compared) -> PromptDifference:
    before, after = compared.previous_weights.size, compared.current_weights.size
    is_whole = before.whole is not None and after.whole is not None
    exact = list(_messages(changes, compared))
    if is_whole:
        exact += _beside_messages(before, after)
    first, last = (size.weight if is_whole else size.messages for size in (before, after))
    parts = _round_parts(exact, round(last.tokens) - round(first.tokens))
    return PromptDifference(WHOLE_PROMPT if is_whole else MESSAGES_ONLY, first, last, tuple(parts))


def _messages(changes: Changes, compared: Compared) -> Iterator[tuple[str, Weight]]:
    old = [combine(row) for row in compared.previous_weights.messages]
    new = [combine(row) for row in compared.current_weights.messages]
    same = [-weight.tokens for weight in old] + [weight.tokens for weight in new]
    for kind in (ChangeKind.REWRITTEN, ChangeKind.REMOVED, ChangeKind.ADDED):
        changed = changes.of(kind)
        gone = combine(old[change.old] for change in changed if change.old is not None)
        come = combine(new[change.new] for change in changed if change.new is not None)
        for change in changed:
            if change.old is not None:
                same[change.old] = 0.0
            if change.new is not None:
                same[len(old) + change.new] = 0.0
        if changed:
            basis = combine((gone, come)).basis
            yield f"{plural(len(changed), 'message')} {kind.value}", Weight(come.tokens - gone.tokens, basis)
    yield "unchanged messages that weigh more or less than before", Weight(sum(same), Basis.APPORTIONED)


def _beside_messages(before: PromptSize, after: PromptSize) -> Iterator[tuple[str, Weight]]:
    assert before.head is not None
    assert after.head is not None
    head = combine((before.head, after.head)).basis
    yield "before the messages", Weight(after.head.tokens - before.head.tokens, head)
    yield (
        "not recorded: counted by the API, and in no message",
        Weight(after.unrecorded - before.unrecorded, Basis.APPORTIONED),
    )


def _round_parts(exact: Iterable[tuple[str, Weight]], total: int) -> list[DifferencePart]:
    """To whole tokens. The largest part takes what rounding leaves."""
    parts = [
        DifferencePart(label, round(weight.tokens), weight.basis) for label, weight in exact if round(weight.tokens)
    ]
    left = total - sum(part.tokens for part in parts)
    if not left:
        return parts
    if not parts:
        return [DifferencePart("rounding", left)]
    largest = max(range(len(parts)), key=lambda index: abs(parts[index].tokens))
    part = parts[largest]
    parts[largest] = DifferencePart(part.label, part.tokens + left, part.basis)
    return parts
