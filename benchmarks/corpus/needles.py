"""Thirteen strings that stand nowhere else, each in another kind of place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Needle:
    place: str
    text: str


NEEDLES = (
    Needle("user text", "kestrelquartz"),
    Needle("assistant text", "marmaladevoltage"),
    Needle("thinking", "periwinkleanvil"),
    Needle("tool input", "saffron_gantry_7714"),
    Needle("tool output", "obsidianfennel"),
    Needle("sub-agent's tool output", "thimblecyclone"),
    Needle("attachment", "gossamerpiston"),
    Needle("title", "cobaltmarigold"),
    Needle("queued command", "juniperbellows"),
    Needle("spilled output", "velvetturbine"),
    Needle("summary", "ambergristlathe"),
    Needle("escaped string", 'brambling "gusset" sextant'),
    Needle("not ASCII", "sägewerkfjäll 検索語"),
)

RARE = NEEDLES[1]
"""In prose, so that every search finds it: the word that stands once."""
