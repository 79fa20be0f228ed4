"""The tokens of two contexts by category."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.context.engine.tally import Category
from sessions.weights.engine import PromptSize, Weight
from sessions.weights.engine.sizes import LABELS, CategoryWeights, round_categories


@dataclass(frozen=True, slots=True)
class Share:
    category: Category
    label: str
    before: Weight
    after: Weight

    @property
    def difference(self) -> int:
        return round(self.after.tokens) - round(self.before.tokens)


def shares_of(before: CategoryWeights, after: CategoryWeights, sizes: tuple[PromptSize, PromptSize]) -> list[Share]:
    """One share for each category that either side has. `sizes`: of the two prompts, which they add up to."""
    labels = dict(LABELS)
    if any(side[Category.SYSTEM].tokens for side in (before, after)):
        labels[Category.HEAD] = LABELS[Category.TOOLS]  # what no record holds is the rest of what stands before
    rounded = [round_categories(side, size) for side, size in zip((before, after), sizes, strict=True)]
    shares = (
        Share(
            category,
            labels[category],
            Weight(rounded[0][category], before[category].basis),
            Weight(rounded[1][category], after[category].basis),
        )
        for category in Category
    )
    return [share for share in shares if share.before.tokens or share.after.tokens]
