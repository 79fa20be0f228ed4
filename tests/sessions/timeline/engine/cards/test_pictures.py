from __future__ import annotations

from typing import Any

import pytest

from sessions.timeline.engine.cards import load_image
from tests.sessions.timeline.engine.cards.window import result, user


def image(data: Any = "QUJD", media_type: Any = "image/png") -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def test_an_image_is_loaded_by_its_number() -> None:
    record = user([image(), {"type": "text", "text": "and"}, image("REVG", "image/webp")])
    assert load_image(record, 0) == ("image/png", b"ABC")
    assert load_image(record, 1) == ("image/webp", b"DEF")
    assert load_image(record, 2) is None


def test_images_of_results_queued_prompts_and_files_are_found() -> None:
    assert load_image(result([image()]), 0) == ("image/png", b"ABC")
    assert load_image({"attachment": {"type": "queued_command", "prompt": [image()]}}, 0) == ("image/png", b"ABC")
    file = {"type": "image", "file": {"base64": "QUJD", "type": "image/gif"}}
    assert load_image({"attachment": {"type": "file", "content": file}}, 0) == ("image/gif", b"ABC")


@pytest.mark.parametrize("block", [image("QUJ"), image("QUJD", "image/svg+xml"), image("QUJD", None), image("é")])
def test_what_a_browser_must_not_show_is_not_loaded(block: dict[str, Any]) -> None:
    assert load_image(user([block]), 0) is None
