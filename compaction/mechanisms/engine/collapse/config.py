"""When context collapse acts, on how much at a time, and how it scores spans."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part of a score counts; see `score`."""

    size: float = 0.30
    age: float = 0.25
    distance: float = 0.25
    quiet: float = 0.20

    @property
    def sum(self) -> float:
        return self.size + self.age + self.distance + self.quiet


@dataclass(frozen=True, slots=True)
class CollapseConfig:
    """Shares are of the effective window."""

    enabled: bool = False
    stage_at: float = 0.60
    """From here on spans are chosen, so that their summaries can be written in time."""
    commit_at: float = 0.85
    """From here on they are replaced."""
    target: float = 0.60
    """Replacing stops when this is reached."""
    spawn_every: int = 10_000
    """Tokens of growth after which spans are chosen anew."""
    keep_tokens: int = 20_000
    """The latest part of the conversation, which is never touched."""
    least: int = 2_000
    """Tokens of the smallest span."""
    most: int = 30_000
    """Tokens of the largest span, unless a single piece that cannot be cut is larger."""
    least_score: float = 0.40
    max_staged: int = 8
    keep_inputs: bool = True
    """What people typed stays word for word; spans end before it."""
    weights: Weights = Weights()


def suppresses_auto_compact(config: CollapseConfig) -> bool:
    """Both free the same room, so auto-compact does not run while collapse is on."""
    return config.enabled
