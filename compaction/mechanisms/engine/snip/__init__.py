"""Snip: removes whole turns from the context, and reminds the model that it can."""

from __future__ import annotations

from compaction.mechanisms.engine.snip.nudge import nudge
from compaction.mechanisms.engine.snip.removal import (
    SnipConfig,
    relink_parents,
    replay_snips,
    short_id,
    snip,
    tag_inputs,
)
from compaction.mechanisms.engine.snip.state import SnipState

__all__ = ["SnipConfig", "SnipState", "nudge", "relink_parents", "replay_snips", "short_id", "snip", "tag_inputs"]
