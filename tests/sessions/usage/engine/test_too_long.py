from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.usage.engine.too_long import read_too_long


@pytest.mark.parametrize(
    ("text", "tokens", "limit", "gap"),
    [
        ("prompt is too long: 208310 tokens > 200000 maximum", 208_310, 200_000, 8_310),
        ("Prompt is too long: 1,208,310 tokens > 1,000,000 maximum", 1_208_310, 1_000_000, 208_310),
        ("Prompt is too long (claude): 208_310 tokens > 200_000", 208_310, 200_000, 8_310),
        ('400 {"error":{"message":"prompt is too long: 137500 tokens > 135000 maximum"}}', 137_500, 135_000, 2_500),
        ("API Error: 400 prompt is too long: 1 token > 0 maximum", 1, 0, 1),
        ("prompt is too long: 5 tokens > 7 maximum", 5, 7, None),
        ("input length and `max_tokens` exceed context limit: 198981 + 21333 > 200000, less", 220_314, 200_000, 20_314),
        ("input length and max_tokens exceed context limit: 198981 + 21333 > 200000", 220_314, 200_000, 20_314),
        ("input length and 'max_tokens' exceed context limit: 1 + 2 > 2", 3, 2, 1),
        ("input length and max_tokens exceed context limit", None, None, None),
        ("Prompt is too long", None, None, None),
        (f"prompt is too long: {'9' * 5000} tokens > 200000 maximum", None, None, None),
        ("ValidationException: Input is too long for requested model.", None, None, None),
        ("model_context_window_exceeded", None, None, None),
        ("The request exceeds the model's maximum context length", None, None, None),
        ("too many total input tokens", None, None, None),
    ],
)
def test_it_knows_every_way_of_saying_too_long(
    text: str, tokens: int | None, limit: int | None, gap: int | None
) -> None:
    too_long = read_too_long(text)
    assert too_long == (tokens, limit)
    assert too_long is not None
    assert too_long.gap == gap


@pytest.mark.parametrize(
    "text",
    [
        "",
        "max_tokens: too large",
        "max_tokens: 5 > 4",
        "messages.3: text is too long",
        "invalid x-api-key",
        "overloaded_error",
        "rate limit",
        "the prompt is fine",
    ],
)
def test_other_errors_are_not_about_length(text: str) -> None:
    assert read_too_long(text) is None


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    read_too_long(text)
    read_too_long(f"prompt is too long: {text}")
