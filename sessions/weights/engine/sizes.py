"""What fills a context: the tokens of each category, beside the API's count, the window and the threshold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.presentation.pieces import is_unrecorded_thinking
from sessions.context.engine.rendering.array import Piece
from sessions.context.engine.request import Context
from sessions.context.engine.tally import Category, category_of
from sessions.linking.engine.raw_fields import mapping, text
from sessions.text.engine.words import plural
from sessions.usage.engine.tokens import Limits, Window, context_window, window_in_use
from sessions.weights.engine.context_weights import ContextWeights
from sessions.weights.engine.features import features_of
from sessions.weights.engine.prompt_size import PromptSize
from sessions.weights.engine.setup_weights import rest_label, share_head
from sessions.weights.engine.weight import Basis, Weight, combine

LABELS = {
    Category.HEAD: "system prompt and tools",
    Category.SYSTEM: "system prompt",
    Category.TOOLS: "tool definitions",
    Category.USER_TEXT: "user text",
    Category.ASSISTANT_TEXT: "assistant text",
    Category.THINKING: "thinking",
    Category.TOOL_INPUTS: "tool inputs",
    Category.TOOL_RESULTS: "tool results",
    Category.ATTACHMENTS: "injected",
    Category.SUMMARY: "summary",
    Category.IMAGES: "images",
    Category.UNEXPLAINED: "not recorded",
}
_HEAD = "The API counted so much beyond the messages of the first request, and no record says what it was."
_UNMEASURED = "No record of this session holds it, and no request was counted that would tell."


@dataclass(frozen=True, slots=True)
class CategorySize:
    category: Category
    label: str
    tokens: int | None
    """None: nothing tells."""
    basis: Basis = Basis.ESTIMATED
    missing_reason: str = ""

    @property
    def note(self) -> str:
        """How its size is known, or why not."""
        return self.missing_reason or (f"{self.basis}. {_HEAD}" if self.category is Category.HEAD else str(self.basis))

    @property
    def weight(self) -> Weight | None:
        return None if self.tokens is None else Weight(self.tokens, self.basis)

    @property
    def mark(self) -> str:
        """Before the number, unless the API counted exactly this."""
        return "" if self.basis is Basis.MEASURED else "~"


@dataclass(frozen=True, slots=True)
class Sizes:
    shares: tuple[CategorySize, ...]
    """They add up to `total`, with what is in no record."""
    size: PromptSize
    counted: int | None
    """The whole prompt, if the API counted it."""
    unrecorded: int
    """Counted by the API, and in no record."""
    attached: int
    """Of that, what came when the conversation was cut."""
    window: Window
    threshold: int

    @property
    def total(self) -> int:
        """Of the whole prompt; of its messages only, where nothing tells what stands before them."""
        return round(self.size.weight.tokens)

    @property
    def mark(self) -> str:
        return self.size.weight.mark


CategoryWeights = dict[Category, Weight]


def sizes_of(context: Context, weights: ContextWeights) -> Sizes:
    pairs = (
        (piece, weight)
        for element, row in zip(context.elements, weights.messages, strict=True)
        for piece, weight in zip(element.pieces, row, strict=True)
    )
    combined = category_weights(pairs, context.setup, context.model, weights.head, weights.unrecorded)
    missing = _find_missing(context, weights)
    size = weights.size
    numbers = round_categories(combined, size)
    hidden = {Category.SYSTEM, Category.TOOLS} if combined[Category.HEAD].tokens > 0 else {Category.HEAD}
    labels = {**LABELS, Category.HEAD: rest_label(context.setup)}
    shares = tuple(
        CategorySize(
            category,
            labels[category],
            tokens or (None if category in missing else 0),
            combined[category].basis,
            missing.get(category, ""),
        )
        for category, tokens in numbers.items()
        if category is not Category.UNEXPLAINED and (tokens or category not in hidden)
    )
    betas = context.setup.params.get("betas")
    names = [text(beta) for beta in betas] if isinstance(betas, list) else []
    window = window_in_use(context_window(context.model, betas=names), is_usual=weights.has_usual_window)
    unrecorded = numbers[Category.UNEXPLAINED]
    attached = min(unrecorded, round(weights.attached))
    return Sizes(shares, size, weights.counted, unrecorded, attached, window, Limits(window.tokens).threshold)


def category_weights(
    pairs: Iterable[tuple[Piece, Weight]], setup: RequestSetup, model: str, head: Weight | None, unrecorded: float
) -> CategoryWeights:
    """What the blocks of a prompt weigh by category. `head`: what stands before them, if that is known."""
    by_category: dict[Category, list[Weight]] = {category: [] for category in Category}
    for piece, weight in pairs:
        for category, part in _split(piece, weight):
            by_category[category].append(part)
    by_category |= _head(setup, model, head)
    by_category[Category.UNEXPLAINED].append(Weight(unrecorded, Basis.APPORTIONED))
    return {category: combine(parts) for category, parts in by_category.items()}


def _split(piece: Piece, weight: Weight) -> Iterable[tuple[Category, Weight]]:
    """The pictures in a result count as pictures."""
    category = category_of(piece)
    pictures = _picture_tokens(piece.block.get("content")) if category is Category.TOOL_RESULTS else 0
    if not pictures:
        return [(category, weight)]
    shown = min(float(pictures), weight.tokens)
    return [
        (category, Weight(weight.tokens - shown, Basis.APPORTIONED)),
        (Category.IMAGES, Weight(shown, Basis.APPORTIONED)),
    ]


def _picture_tokens(content: object) -> int:
    """Of a result."""
    parts = content if isinstance(content, list) else ()
    return sum(features_of(part).pictures for part in parts if text(mapping(part).get("type")) in ("image", "document"))


def _head(setup: RequestSetup, model: str, measured: Weight | None) -> dict[Category, list[Weight]]:
    """What stands before the messages. Where records hold it, it is shared out between system prompt and tools; what
    they do not hold stays one."""
    shares = share_head(setup, model, measured)
    return {
        Category.HEAD: [shares.rest],
        Category.SYSTEM: [*shares.system, Weight(0.0, shares.rest.basis)],
        Category.TOOLS: [*shares.tools, Weight(0.0, shares.rest.basis)],
    }


def _find_missing(context: Context, weights: ContextWeights) -> dict[Category, str]:
    missing = {}
    if weights.head is None:
        if context.setup.system is None:
            missing[Category.SYSTEM] = _UNMEASURED
        if context.setup.tools is None:
            missing[Category.TOOLS] = _UNMEASURED
    silent = sum(is_unrecorded_thinking(piece.block) for element in context.elements for piece in element.pieces)
    if silent:
        missing[Category.THINKING] = f"The text of {plural(silent, 'thought')} is not recorded, only the signature."
    return missing


def round_categories(categories: CategoryWeights, size: PromptSize) -> dict[Category, int]:
    """To whole tokens that add up to the size of the prompt, the same wherever it is shown."""
    exact = [weight.tokens for weight in categories.values()]
    return dict(zip(categories, _round(exact, size.weight.tokens), strict=True))


def _round(numbers: Sequence[float], total: float) -> list[int]:
    """To whole tokens, so that they add up to the rounded total."""
    whole = [int(number) for number in numbers]
    short = round(total) - sum(whole)
    order = sorted(range(len(numbers)), key=lambda index: whole[index] - numbers[index])
    for index in order[: max(0, short)]:
        whole[index] += 1
    return whole
