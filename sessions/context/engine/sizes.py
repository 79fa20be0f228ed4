"""How full a context is: our estimate by category, the API's count, the window and the auto-compact threshold."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.context.engine.presentation.pieces import is_unrecorded_thinking
from sessions.context.engine.request import Context
from sessions.context.engine.tally import Category
from sessions.linking.engine.raw_fields import text
from sessions.text.engine.words import plural
from sessions.usage.engine.tokens import Limits, Window, context_window

LABELS = {
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
}


@dataclass(frozen=True, slots=True)
class CategorySize:
    category: Category
    label: str
    tokens: int | None
    """None if no record holds it."""
    missing_reason: str = ""


@dataclass(frozen=True, slots=True)
class Sizes:
    shares: tuple[CategorySize, ...]
    estimated: int
    counted: int | None
    """The prompt as the API counted it."""
    window: Window
    threshold: int

    @property
    def unrecorded(self) -> int:
        """What the API counted beyond our estimate: parts that no record holds, and the error of the estimate."""
        return max(0, (self.counted or 0) - self.estimated)

    @property
    def total(self) -> int:
        """The size to compare with the window."""
        return max(self.counted or 0, self.estimated)


def sizes_of(context: Context, counted: int | None = None) -> Sizes:
    setup = context.setup
    missing = {}
    if setup.system is None:
        missing[Category.SYSTEM] = "No record of this session holds the system prompt."
    if setup.tools is None:
        missing[Category.TOOLS] = "No record of this session holds the definitions of the tools."
    silent = sum(is_unrecorded_thinking(piece.block) for element in context.elements for piece in element.pieces)
    if silent:
        missing[Category.THINKING] = f"The text of {plural(silent, 'thought')} is not recorded, only the signature."
    shares = tuple(
        CategorySize(
            category, LABELS[category], count or (None if category in missing else 0), missing.get(category, "")
        )
        for category, count in zip(Category, context.tokens, strict=True)
    )
    betas = setup.params.get("betas")
    named = [text(beta) for beta in betas] if isinstance(betas, list) else []
    window = context_window(context.model, betas=named)
    return Sizes(shares, context.tokens.total, counted, window, Limits(window.tokens).threshold)
