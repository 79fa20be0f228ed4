"""When context collapse acts, on how much at a time, and how it scores spans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from compaction.mechanisms.engine.setting_field import setting


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part of a score counts; see `score`."""

    size: float = setting(0.30, "Weight of a span's size.")
    age: float = setting(0.25, "Weight of what came after it.")
    distance: float = setting(0.25, "Weight of what the latest part leaves alone.")
    quiet: float = setting(0.20, "Weight of what nobody came back to.")

    @property
    def sum(self) -> float:
        return self.size + self.age + self.distance + self.quiet


@dataclass(frozen=True, slots=True)
class CollapseConfig:
    """Shares are of the effective window."""

    TITLE: ClassVar[str] = "Collapse"

    enabled: bool = setting(
        False, "Whether spans of early history are replaced instead of everything.", label="Collapse early history"
    )
    stage_at: float = setting(0.60, "Share of the window from which on spans are chosen.", most=1)
    """From here on spans are chosen, so that their summaries can be written in time."""
    commit_at: float = setting(0.85, "Share of the window from which on spans are replaced.", most=1)
    target: float = setting(0.60, "Share of the window that it should come down to.", most=1)
    spawn_every: int = setting(10_000, "Tokens of growth until spans are chosen anew.")
    keep_tokens: int = setting(20_000, "Tokens of the latest part, which stays.", label="Latest tokens that stay")
    pinned: tuple[str, ...] = setting((), "Messages that stay word for word, by their ids.")
    least: int = setting(2_000, "Tokens that a span has at least.", label="Smallest span")
    most: int = setting(30_000, "Tokens that a span has at most.")
    """Tokens of the largest span, unless a single piece that cannot be cut is larger."""
    least_score: float = setting(
        0.40, "From 0, keep it, to 1, let it go: spans below stay.", label="Least score", most=1
    )
    max_staged: int = setting(8, "Spans that are chosen at a time.")
    keep_inputs: bool = setting(True, "What you typed stays word for word.", label="Keep what you typed")
    """What people typed stays word for word; spans end before it."""
    weights: Weights = Weights()


def suppresses_auto_compact(config: CollapseConfig) -> bool:
    """Whether collapse is on: both free the same space, so auto-compact does not run then."""
    return config.enabled
