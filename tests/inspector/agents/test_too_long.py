from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.agents.too_long import prompt_too_long


@pytest.mark.parametrize(
    ("text", "tokens", "limit"),
    [
        ("prompt is too long: 208310 tokens > 200000 maximum", 208_310, 200_000),
        ("Prompt is too long: 208,310 tokens > 200,000 maximum", 208_310, 200_000),
        ("API Error: 400 prompt is too long: 1 token > 0 maximum", 1, 0),
        ("input length and `max_tokens` exceed context limit: 198981 + 21333 > 200000, decrease", 220_314, 200_000),
        ("input length and max_tokens exceed context limit: 198981 + 21333 > 200000", 220_314, 200_000),
        ("Prompt is too long", None, None),
        ("Input is too long for requested model.", None, None),
        ("input length and max_tokens exceed context limit", None, None),
    ],
)
def test_all_forms_are_recognised(text: str, tokens: int | None, limit: int | None) -> None:
    error = prompt_too_long(text)
    assert error is not None
    assert (error.tokens, error.limit) == (tokens, limit)


@pytest.mark.parametrize("text", ["", "max_tokens: too large", "messages.3: text is too long", "invalid x-api-key"])
def test_other_errors_are_not(text: str) -> None:
    assert prompt_too_long(text) is None


@given(st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    prompt_too_long(text)
    prompt_too_long(f"prompt is too long: {text}")
