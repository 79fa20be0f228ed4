from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.text.engine.storable import storable_json, storable_text


@pytest.mark.parametrize(
    ("document", "stored"),
    [
        (r'"a\u0000b"', r'"a\ufffdb"'),
        (r'"a\\u0000b"', r'"a\\u0000b"'),
        (r'"a\\\u0000b"', r'"a\\\ufffdb"'),
        (r'"\ud83c\udf0a"', r'"\ud83c\udf0a"'),
        (r'"\ud83c \udf0a"', r'"\ufffd \ufffd"'),
        (r'"\n\t\" plain"', r'"\n\t\" plain"'),
    ],
)
def test_only_what_cannot_be_stored_is_replaced(document: str, stored: str) -> None:
    assert storable_json(document) == stored


def test_text_has_replacement_characters_instead() -> None:
    assert storable_text("a\0b\udcff 潮") == "a\ufffdb? 潮"


@given(st.text())
def test_a_document_keeps_everything_else(text: str) -> None:
    kept = json.loads(storable_json(json.dumps({"text": text})))["text"]
    assert kept == text.replace("\0", "\ufffd")


@given(st.text(st.characters(codec=None)))
def test_whatever_comes_out_can_be_stored(text: str) -> None:
    for stored in (storable_text(text), json.loads(storable_json(json.dumps(text)))):
        stored.encode()
        assert "\0" not in stored
