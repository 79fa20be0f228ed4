"""Which model answers: the API with a key, else the `claude` command, else none, and the reason in words.

The settings of every command are read through here, so the adapters are imported only when one is chosen.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.agents.model import LanguageModel

MECHANICAL = "mechanical"
"""Nobody is asked: the record itself is put together."""
CONFIGURED = "configured"
"""The model that the settings name."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What a person may set about models."""

    api_key: str = field(default="", repr=False)
    base_url: str = ""
    """Empty for Anthropic's own."""
    main: str = ""
    """The model that summarises, takes notes and dreams."""
    small: str = ""
    """The one for what is short and frequent."""
    betas: tuple[str, ...] = ()
    timeout: float = 900.0
    idle_timeout: float = 120.0
    first_pause: float = 1.0
    """Seconds before a failed request is repeated for the first time; they double from then on."""
    claude: str = ""
    """Name or path of the `claude` program; “off” for none."""
    monthly_budget: float | None = None
    """USD; None for no limit. Whoever starts a run holds it against what was spent."""


@dataclass(frozen=True, slots=True)
class Choice:
    """`model` is None when nothing but the mechanical way is left."""

    kind: str
    """anthropic, claude or mechanical."""
    why: str
    model: LanguageModel | None = None
    main: str = ""
    small: str = ""


def choice_of(settings: ModelSettings) -> Choice:
    """Who would answer, without the means to ask: loading those takes its time."""
    if settings.api_key:
        return Choice("anthropic", "ANTHROPIC_API_KEY is set.", None, settings.main, settings.small)
    if settings.claude in ("", "off"):
        return Choice(MECHANICAL, "There is no ANTHROPIC_API_KEY, and the claude command is switched off.")
    if shutil.which(settings.claude) is None:
        return Choice(MECHANICAL, "There is no ANTHROPIC_API_KEY, and no claude command was found.")
    why = "There is no ANTHROPIC_API_KEY, but the claude command is installed."
    return Choice("claude", why, None, settings.main, settings.small)


def choose_model(settings: ModelSettings) -> Choice:
    from inspector.agents.anthropic_model import API, AnthropicModel, Timeouts
    from inspector.agents.claude_cli import ClaudeCli
    from inspector.agents.retrying import Retries

    choice = choice_of(settings)
    if choice.kind == "anthropic":
        timeouts = Timeouts(idle=settings.idle_timeout, total=settings.timeout)
        model = AnthropicModel(
            settings.api_key,
            base_url=settings.base_url or API,
            betas=settings.betas,
            timeouts=timeouts,
            retries=Retries(first=settings.first_pause),
        )
        return replace(choice, model=model)
    program = shutil.which(settings.claude) if choice.kind == "claude" else None
    return choice if program is None else replace(choice, model=ClaudeCli(program, seconds=settings.timeout))
