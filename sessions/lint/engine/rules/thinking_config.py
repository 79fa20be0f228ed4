"""The `thinking` parameter, and what goes with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.reading import Request, text_of
from sessions.lint.engine.rules.thinking import mode_of

LEAST_BUDGET = 1024


def check(request: Request) -> Iterator[Finding]:
    config = request.body.get("thinking")
    kind = mode_of(request.body)
    if not isinstance(config, Mapping):
        return
    known = request.facts.thinking if request.facts else None
    if known is not None and kind not in ("disabled", *known):
        others = " or ".join(sorted(known)) or "none at all"
        yield _refused(
            "thinking.type",
            f"This model does not take thinking of the type {kind}.",
            f"It takes {others}.",
            f'"thinking.type.{kind}" is not supported for this model.',
        )
    if kind == "enabled":
        yield from _budget(request, config.get("budget_tokens"))
    choice = request.body.get("tool_choice")
    forced = isinstance(choice, Mapping) and choice.get("type") in ("any", "tool")
    if forced and kind in ("enabled", "adaptive"):
        yield _refused(
            "tool_choice",
            "The model cannot be forced to call a tool while it thinks.",
            "Let tool_choice be auto or none, or turn thinking off.",
            "Thinking may not be enabled when tool_choice forces tool use.",
        )


def _budget(request: Request, budget: object) -> Iterator[Finding]:
    path, most = "thinking.budget_tokens", request.body.get("max_tokens")
    if not isinstance(budget, int):
        yield _refused(path, "Thinking needs a budget.", "Set budget_tokens.", f"{path}: Field required")
    elif budget < LEAST_BUDGET:
        yield _refused(
            path,
            f"The budget is below {LEAST_BUDGET:,} tokens.",
            f"Set it to {LEAST_BUDGET:,} or more.",
            f"thinking.enabled.budget_tokens: Input should be greater than or equal to {LEAST_BUDGET}",
        )
    elif isinstance(most, int) and budget >= most and not _interleaved(request):
        yield _refused(
            path,
            "The budget leaves nothing of max_tokens for the answer.",
            "Raise max_tokens above the budget.",
            "`max_tokens` must be greater than `thinking.budget_tokens`.",
        )


def _interleaved(request: Request) -> bool:
    """With thinking between calls, the budget is that of the whole turn and may exceed one answer."""
    betas = request.body.get("betas")
    return any("interleaved-thinking" in text_of(beta) for beta in (betas if isinstance(betas, list) else []))


def _refused(path: str, message: str, repair: str, api_error: str) -> Finding:
    return Finding("thinking-config", Severity.REFUSED, path, message, repair, api_error)
