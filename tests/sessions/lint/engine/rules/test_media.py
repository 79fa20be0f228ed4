from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.sessions.lint.engine.bodies import assistant, body, call, lint, only, places, result, user
from tests.sessions.transcripts.engine.messages.blocks import PAPER, PIXEL


def image(data: Any = PIXEL, kind: Any = "image/png") -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


def document(**source: Any) -> dict[str, Any]:
    return {"type": "document", "source": source}


def test_a_picture_and_papers_are_fine() -> None:
    pdf = document(type="base64", media_type="application/pdf", data=PAPER)
    plain = document(type="text", media_type="text/plain", data="High water at noon.")
    linked = {"type": "image", "source": {"type": "url", "url": "https://tides.example/a.png"}}
    assert lint(body(user(image(), pdf, plain, linked, "go"))) == []


def test_images_have_one_of_four_formats() -> None:
    finding = only(body(user(image(kind="image/svg+xml"), "go")))
    assert finding.path == "messages[0].content[0].source.media_type"
    assert finding.api_error.endswith("Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'")


@pytest.mark.parametrize("data", ["", "not base64!", PIXEL[:-1], None])
def test_images_are_in_base64(data: Any) -> None:
    assert places(body(user(image(data), "go"))) == [("media", "messages[0].content[0].source.data")]


def test_an_image_is_what_it_is_called() -> None:
    finding = only(body(user(image(kind="image/jpeg"), "go")))
    assert finding.api_error == (
        "The image was specified using the image/jpeg media type, but the image appears to be a image/png image"
    )


def test_a_webp_is_known_by_its_beginning() -> None:
    data = base64.b64encode(b"RIFF\0\0\0\0WEBPVP8 ").decode()
    assert lint(body(user(image(data, "image/webp"), "go"))) == []


def test_an_image_has_at_most_five_megabytes() -> None:
    finding = only(body(user(image(PIXEL[:12] + "A" * 5 * 1024 * 1024), "go")))
    assert "image exceeds 5 MB maximum" in finding.api_error


def test_images_in_results_are_looked_at() -> None:
    request = body(user("go"), assistant(call("a")), user(result("a", [image("?")])))
    assert places(request) == [("media", "messages[2].content[0].content[0].source.data")]


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ({"type": "base64", "media_type": "text/html", "data": PAPER}, "media_type"),
        ({"type": "base64", "media_type": "application/pdf", "data": "?"}, "data"),
        ({"type": "text", "media_type": "text/html", "data": "x"}, "media_type"),
        ({"type": "text", "media_type": "text/plain", "data": " "}, "data"),
    ],
)
def test_documents_are_pdf_or_text(source: Any, key: str) -> None:
    assert places(body(user(document(**source), "go"))) == [("media", f"messages[0].content[0].source.{key}")]


def test_a_picture_without_a_source_is_none() -> None:
    assert places(body(user({"type": "image"}, "go"))) == [("media", "messages[0].content[0].source")]
