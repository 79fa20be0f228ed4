"""The `thinking` parameter, and what goes with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import ParsedRequest, text_of
from sessions.lint.engine.rules.thinking import mode_of

MIN_BUDGET = 1024


def check(request: ParsedRequest) -> Iterator[Finding]:
    config = request.body.get("thinking")
    kind = mode_of(request.body)
    if not isinstance(config, Mapping):
        return
    modes = request.facts.thinking if request.facts else None
    if modes is not None and kind not in ("disabled", *modes):
        others = " or ".join(sorted(modes)) or "none at all"
        yield _refusal(
            "thinking.type",
            f"This model does not take thinking of the type {kind}.",
            f"It takes {others}.",
            f'"thinking.type.{kind}" is not supported for this model.',
        )
    if kind == "enabled":
        yield from _check_budget(request, config.get("budget_tokens"))
    choice = request.body.get("tool_choice")
    forced = isinstance(choice, Mapping) and choice.get("type") in ("any", "tool")
    if forced and kind in ("enabled", "adaptive"):
        yield _refusal(
            "tool_choice",
            "The model cannot be forced to call a tool while it thinks.",
            "Let tool_choice be auto or none, or turn thinking off.",
            "Thinking may not be enabled when tool_choice forces tool use.",
        )


def _check_budget(request: ParsedRequest, budget: object) -> Iterator[Finding]:
    path, most = "thinking.budget_tokens", request.body.get("max_tokens")
    if not isinstance(budget, int):
        yield _refusal(path, "Thinking needs a budget.", "Set budget_tokens.", f"{path}: Field required")
    elif budget < MIN_BUDGET:
        yield _refusal(
            path,
            f"The budget is below {MIN_BUDGET:,} tokens.",
            f"Set it to {MIN_BUDGET:,} or more.",
            f"thinking.enabled.budget_tokens: Input should be greater than or equal to {MIN_BUDGET}",
        )
    elif isinstance(most, int) and budget >= most and not _is_interleaved(request):
        yield _refusal(
            path,
            "The budget leaves nothing of max_tokens for the answer.",
            "Raise max_tokens above the budget.",
            "`max_tokens` must be greater than `thinking.budget_tokens`.",
        )


def _is_interleaved(request: ParsedRequest) -> bool:
    """Is thinking between calls on? Then the budget is for the whole turn, and may exceed one answer."""
    betas = request.body.get("betas")
    return any("interleaved-thinking" in text_of(beta) for beta in (betas if isinstance(betas, list) else []))


def _refusal(path: str, message: str, repair: str, api_error: str) -> Finding:
    return Finding("thinking-config", Severity.REFUSED, path, message, repair, api_error)
