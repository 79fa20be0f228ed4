"""Which model answers: the API if there is a key, else the `claude` command, else none; with the reason in words.

Every command imports this module for its settings, so the adapters are imported only when one is chosen.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.agents.model import LanguageModel

MECHANICAL = "mechanical"
"""Without a model: the text is put together from the record."""
CONFIGURED = "configured"
"""The model named in the settings."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Settings of a person about models."""

    api_key: str = field(default="", repr=False)
    base_url: str = ""
    """Empty: that of Anthropic."""
    main: str = ""
    """The model for summaries, notes and dreams."""
    small: str = ""
    """The model for short, frequent questions."""
    betas: tuple[str, ...] = ()
    timeout: float = 900.0
    idle_timeout: float = 120.0
    first_pause: float = 1.0
    """Seconds before the first retry; they double with each further one."""
    claude: str = ""
    """Name or path of the `claude` program, or “off”."""
    monthly_budget: float | None = None
    """USD; None: no limit. Compared with what was spent when a run starts."""


@dataclass(frozen=True, slots=True)
class Choice:
    """`model` is None if no model is available."""

    kind: str
    """anthropic, claude or mechanical."""
    why: str
    model: LanguageModel | None = None
    main: str = ""
    small: str = ""


def choice_of(settings: ModelSettings) -> Choice:
    """The choice without the model itself, which takes long to load."""
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
