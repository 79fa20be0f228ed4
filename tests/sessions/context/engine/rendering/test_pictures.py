"""Attachments with a picture: no version writes down how it told them."""

from __future__ import annotations

from typing import Any

import pytest

from sessions.context.engine import Context
from sessions.transcripts.engine.messages import MessageKind
from tests.sessions.context.engine.context_helpers import attach, call, last, texts
from tests.sessions.context.engine.version_rows import TAKES_NONE, TAKES_SYSTEM, note
from tests.sessions.writing import Writing

DATA = "iVBORw0KGgo="
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}}
VERSIONS = ["2.1.197", "2.1.325"]


def block_of(context: Context, kind: str) -> dict[str, Any]:
    return next(
        dict(piece.block) for element in context.elements for piece in element.pieces if piece.block["type"] == kind
    )


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("model", [TAKES_SYSTEM, TAKES_NONE])
def test_a_picture_that_a_prompt_names_stands_before_it(version: str, model: str) -> None:
    writing = Writing()
    writing.user("See @a.png", version=version)
    file = {"base64": DATA, "type": "image/png", "originalSize": 8}
    note(writing, version, "file", filename="/w/a.png", content={"type": "image", "file": file})
    writing.assistant("A gull.", version=version, model=model)
    context = last(writing)
    named = '<system-reminder>\nCalled the Read tool with the following input: {"file_path":"/w/a.png"}'
    assert texts(context) == [("user", [f"{named}\n</system-reminder>"]), ("user", ["image", "See @a.png"])]
    assert block_of(context, "image") == PICTURE


@pytest.mark.parametrize("version", VERSIONS)
def test_a_prompt_with_a_picture_that_was_sent_meanwhile_is_the_users(version: str) -> None:
    writing = Writing()
    writing.user("Look", version=version)
    writing.assistant(call("t1"), message="m1", version=version, model=TAKES_SYSTEM)
    writing.result("t1", "one", version=version)
    prompt = [{"type": "text", "text": "and this"}, PICTURE]
    given = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt"}
    writing.row("attachment", attachment=given, renderedRole="system", version=version)
    writing.assistant("Done.", message="m2", version=version, model=TAKES_SYSTEM)
    context = last(writing)
    role, text = texts(context)[-1]
    assert (role, text[0], text[2]) == ("user", "result t1: one", "image")
    assert text[1].startswith("<system-reminder>\nThe user sent a new message while you were working:\nand this\n\n")
    assert context.elements[-1].pieces[-1].message.kind is MessageKind.PROMPT


def test_a_prompt_of_several_texts_is_told_as_one() -> None:
    version = "2.1.197"
    writing = Writing()
    writing.user("Look", version=version)
    prompt = [{"type": "text", "text": "and this"}]
    note(writing, version, "queued_command", prompt=prompt, commandMode="prompt")
    writing.assistant("Done.", version=version, model=TAKES_SYSTEM)
    (words,) = texts(last(writing))[-1][1]
    assert words.startswith("The user sent a new message while you were working:\nand this\n\nIMPORTANT: ")


def test_what_the_client_wrote_down_goes_before_what_we_would_say() -> None:
    writing = Writing()
    writing.user("Look")
    attach(writing, "file", "Called the Read tool.")
    writing.assistant("Done.")
    assert texts(last(writing))[0][1][0].startswith("<system-reminder>\nCalled the Read tool.\n")
