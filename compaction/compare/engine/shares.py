"""The tokens of two contexts by category."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.context.engine.tally import Category
from sessions.weights.engine.sizes import LABELS, CategoryWeights


@dataclass(frozen=True, slots=True)
class Share:
    category: Category
    label: str
    before: int
    after: int

    @property
    def difference(self) -> int:
        return self.after - self.before


def shares_of(before: CategoryWeights, after: CategoryWeights) -> list[Share]:
    """One share for each category that either side has."""
    labels = dict(LABELS)
    if any(side[Category.SYSTEM].tokens for side in (before, after)):
        labels[Category.HEAD] = LABELS[Category.TOOLS]  # what no record holds is the rest of what stands before
    shares = (
        Share(category, labels[category], round(before[category].tokens), round(after[category].tokens))
        for category in Category
    )
    return [share for share in shares if share.before or share.after]
