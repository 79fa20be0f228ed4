"""How much of its parent's prompt an agent's first request repeated. The cache serves a prompt only as far as it is the
same from the first byte: tools and system, then message after message."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sessions.context.engine import Context, Exactness, digest_element
from sessions.context.engine.digest import canonical, full_hash
from sessions.text.engine.words import plural
from sessions.usage.engine.tokens import estimate_blocks


class Alike(StrEnum):
    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "unknown"
    """One of the two, or both, is not recorded."""


@dataclass(frozen=True, slots=True)
class Sharing:
    system: Alike
    tools: Alike
    model: Alike
    messages: int
    """How many messages from the start are the same."""
    of: int
    """How many messages the parent's request had."""
    own: int
    """How many the agent's first request had."""
    tokens: int
    """Of those that are the same, estimated."""
    exactness: Exactness
    """Recorded only if both requests are."""
    read: int | None = None
    """Tokens that the API read from the cache for the agent's first request; None if its usage is not recorded."""
    prompt: int | None = None
    """Tokens of its whole prompt, as the API counted them."""

    @property
    def broken(self) -> bool:
        """Something before the messages differs, so that none of them can come out of the parent's cache."""
        return Alike.DIFFERENT in (self.system, self.tools, self.model)

    @property
    def sentence(self) -> str:
        if not self.messages:
            return "No message is the same from the start: it began with a prompt of its own."
        shared = f"The first {plural(self.messages, 'message')} of {self.of} are the parent's"
        if self.messages == 1:
            shared = f"The first of {plural(self.of, 'message')} is the parent's"
        if not self.broken:
            return f"{shared}, byte for byte."
        names = [name for name, one in self._before() if one is Alike.DIFFERENT]
        verb = "differs" if len(names) == 1 and names[0] != "tools" else "differ"
        return f"{shared}, but {' and '.join(names)} {verb}, so that the cache could not serve them."

    def _before(self) -> list[tuple[str, Alike]]:
        return [("model", self.model), ("tools", self.tools), ("system prompt", self.system)]


def share(parent: Context, child: Context, *, read: int | None = None, prompt: int | None = None) -> Sharing:
    """`parent`: the request whose answer started the agent. `child`: the agent's own first one."""
    held = 0
    for theirs, mine in zip(parent.elements, child.elements, strict=False):
        if digest_element(theirs) != digest_element(mine):
            break
        held += 1
    tokens = sum(estimate_blocks([piece.block for piece in element.pieces]) for element in child.elements[:held])
    exact = {parent.exactness, child.exactness} == {Exactness.RECORDED}
    return Sharing(
        _alike(_print(parent.setup.system), _print(child.setup.system)),
        _alike(_print(parent.setup.tools), _print(child.setup.tools)),
        _alike(parent.model or None, child.model or None),
        held,
        len(parent.elements),
        len(child.elements),
        tokens,
        Exactness.RECORDED if exact else Exactness.RECONSTRUCTED,
        read,
        prompt,
    )


def _print(value: object) -> str | None:
    return None if value is None else full_hash(canonical(_plain(value)))


def _plain(value: object) -> object:
    """Without cache marks, which are instructions and no part of the prompt."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items() if name != "cache_control"}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def _alike(one: str | None, other: str | None) -> Alike:
    if one is None or other is None:
        return Alike.UNKNOWN
    return Alike.SAME if one == other else Alike.DIFFERENT
