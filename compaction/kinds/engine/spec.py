"""What Lucid knows about a kind of compaction: everything that forms, commands and forecasts need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from compaction.kinds.engine.job import Job
from compaction.kinds.engine.result import CompactionResult
from compaction.mechanisms.engine.compaction.boundary import Direction, Trigger


class KindError(ValueError):
    """A compaction was requested in a way that makes no sense. The text says what would."""


@dataclass(frozen=True, slots=True)
class Mode:
    """One of several ways to do a compaction. Each has its own settings."""

    name: str
    help: str
    config: Any


@dataclass(frozen=True, slots=True)
class Instructions:
    """How a form asks for them."""

    label: str
    placeholder: str
    hint: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class KindSpec:
    name: str
    """As in addresses, on the command line and in the database."""
    title: str
    removes: str
    """What leaves the context."""
    loses: str
    """What the model no longer knows."""
    apply: Callable[[Job, Any], CompactionResult]
    """Called with the config, or with that of a mode, after the settings were put into it."""
    config: Any = None
    """A dataclass. Its fields are the settings; `mechanisms/engine/setting_field.py` gives them their texts."""
    modes: tuple[Mode, ...] = ()
    """In place of `config`; the first is the default."""
    modes_title: str = ""
    first_fields: tuple[str, ...] = ()
    """Settings that the form shows at once."""
    hidden_fields: tuple[str, ...] = ()
    """Settings that the form does not offer: they have no effect there, or it asks for them elsewhere."""
    direction: Direction | None = None
    """It cuts the conversation at a message, which has to be named: the pivot."""
    picks_turns: bool = False
    """It needs the ids of turns."""
    choice_title: str = ""
    """Above the turns or messages to choose from."""
    choice_hint: str = ""
    instructions: Instructions | None = None
    summarises: bool = False
    """A model may write the summary."""
    can_fork: bool = False
    """The summary can be asked for as a fork of the session's own request. Needs the setting `fork`."""
    runs_hooks: bool = False
    """A summary replaces the conversation, so hooks run, and files, plan and lists are attached again."""
    automatic: bool = False
    """It does what the agent would do by itself, with the agent's count of failures."""
    path_setting: str = ""
    """The setting that says where texts go that leave the context."""
    action: str = "Compact"
    """What the button says."""

    def __str__(self) -> str:
        return self.name

    @property
    def needs_pivot(self) -> bool:
        return self.direction is not None

    @property
    def trigger(self) -> Trigger:
        """The trigger that hooks are told."""
        return Trigger.AUTO if self.automatic else Trigger.MANUAL

    @property
    def default_mode(self) -> str:
        return self.modes[0].name if self.modes else ""

    def config_in(self, mode: str) -> Any:
        """Raises KindError for an unknown mode."""
        if not self.modes:
            return self.config
        for choice in self.modes:
            if choice.name == mode:
                return choice.config
        raise KindError(f"mode has to be {self.mode_names}, not {mode!r}.")

    @property
    def mode_names(self) -> str:
        return " or ".join(mode.name for mode in self.modes)
