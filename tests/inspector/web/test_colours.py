from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

CSS = (Path(__file__).resolve().parents[3] / "static" / "css" / "base.css").read_text()
NAMED = {name: (light, dark) for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", CSS)}

TEXT = ["ink", "muted", "accent", "red", "amber", "green", "orange", "violet", "blue", "teal", "grey"]
GROUND = ["bg", "panel", "raised"]


def luminance(colour: str) -> float:
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    red, green, blue = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(text: str, other: str) -> float:
    darker, lighter = sorted((luminance(text), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_in_every_colour_is_readable_on_every_ground(theme: int) -> None:
    for text, ground in product(TEXT, GROUND):
        assert contrast(NAMED[text][theme], NAMED[ground][theme]) >= 4.5, (text, ground)
    assert contrast(NAMED["on-accent"][theme], NAMED["accent"][theme]) >= 4.5
    assert contrast(NAMED["ink"][theme], NAMED["highlight"][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_the_edges_of_controls_can_be_seen(theme: int) -> None:
    for ground in GROUND:
        assert contrast(NAMED["edge"][theme], NAMED[ground][theme]) >= 3, ground
