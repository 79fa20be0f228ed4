"""How much of its parent's prompt an agent's first request repeated.

The cache serves a prompt only as far as it is the same from the first byte: tools and system, then the messages."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sessions.context.engine import Context, Exactness, digest_element
from sessions.context.engine.digest import canonical, full_hash
from sessions.text.engine.words import plural
from sessions.weights.engine import ContextWeights, Weight, combine


class Comparison(StrEnum):
    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "unknown"
    """At least one of the two is not recorded."""


@dataclass(frozen=True, slots=True)
class SharedPrefix:
    system: Comparison
    tools: Comparison
    model: Comparison
    messages: int
    """Messages from the start that are the same."""
    parent_messages: int
    """Messages in the parent's request."""
    weight: Weight
    """Of the messages that are the same."""
    exactness: Exactness
    """Recorded only if both requests are recorded."""
    read: int | None = None
    """Tokens that the API read from the cache for the agent's first request; None if its usage is not recorded."""
    prompt: int | None = None
    """Tokens of its whole prompt, as the API counted them."""

    @property
    def has_broken_start(self) -> bool:
        """Something before the messages differs, so that none of them can come from the parent's cache."""
        return Comparison.DIFFERENT in (self.system, self.tools, self.model)

    @property
    def sentence(self) -> str:
        if not self.messages:
            return "No message is the same from the start: it began with a prompt of its own."
        shared = f"The first {plural(self.messages, 'message')} of {self.parent_messages} are the parent's"
        if self.messages == 1:
            shared = f"The first of {plural(self.parent_messages, 'message')} is the parent's"
        if not self.has_broken_start:
            return f"{shared}, byte for byte."
        names = [name for name, comparison in self._before() if comparison is Comparison.DIFFERENT]
        verb = "differs" if len(names) == 1 and names[0] != "tools" else "differ"
        return f"{shared}, but {' and '.join(names)} {verb}, so that the cache could not serve them."

    def _before(self) -> list[tuple[str, Comparison]]:
        return [("model", self.model), ("tools", self.tools), ("system prompt", self.system)]


def compare_prompts(
    parent: Context, child: Context, weights: ContextWeights, *, read: int | None = None
) -> SharedPrefix:
    """`parent`: the request whose answer started the agent. `child`: the agent's own first one, and its weights."""
    count = 0
    for theirs, mine in zip(parent.elements, child.elements, strict=False):
        if digest_element(theirs) != digest_element(mine):
            break
        count += 1
    weight = combine(weight for row in weights.messages[:count] for weight in row)
    exact = {parent.exactness, child.exactness} == {Exactness.RECORDED}
    return SharedPrefix(
        _compare(_hash(parent.setup.system), _hash(child.setup.system)),
        _compare(_hash(parent.setup.tools), _hash(child.setup.tools)),
        _compare(parent.model or None, child.model or None),
        count,
        len(parent.elements),
        weight,
        Exactness.RECORDED if exact else Exactness.RECONSTRUCTED,
        read,
        weights.counted,
    )


def _hash(value: object) -> str | None:
    return None if value is None else full_hash(canonical(_without_cache_marks(value)))


def _without_cache_marks(value: object) -> object:
    """Without cache marks, which are not part of the prompt."""
    if isinstance(value, dict):
        return {name: _without_cache_marks(item) for name, item in value.items() if name != "cache_control"}
    return [_without_cache_marks(item) for item in value] if isinstance(value, (list, tuple)) else value


def _compare(first: str | None, second: str | None) -> Comparison:
    if first is None or second is None:
        return Comparison.UNKNOWN
    return Comparison.SAME if first == second else Comparison.DIFFERENT
