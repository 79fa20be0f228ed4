from __future__ import annotations

import pytest

from sessions.transcripts.engine.slug import LONGEST, slug


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        ("/home/dev/tidewatch", "-home-dev-tidewatch"),
        ("/home/dev/my_app.v2", "-home-dev-my-app-v2"),
        ("C:\\Users\\x", "C--Users-x"),
        ("/tmp/ü", "-tmp--"),
        ("/tmp/🌊", "-tmp---"),
        ("/häfen/😀", "-h-fen---"),
    ],
)
def test_all_but_letters_and_digits_are_dashes(cwd: str, name: str) -> None:
    assert slug(cwd) == name


def test_long_ones_are_cut_and_told_apart() -> None:
    assert slug("/" + "a" * 220) == "-" + "a" * (LONGEST - 1) + "-7upm6p"
    assert slug("/tmp/" + "b" * 230).endswith("b-eeeko7")
