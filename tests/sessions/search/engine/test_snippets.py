from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.search.engine.needles import Needle
from sessions.search.engine.snippets import Pieces, Query, make_snippet

KEY = "sk-ant-api03-" + "a1B2c3D4" * 11
SECRETS = {
    "token": KEY,
    "cloud": "AKIAQYLPMN5HHHFPZAM2",
    "web token": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIx" * 90 + ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    "private key": "-----BEGIN RSA PRIVATE KEY-----\n"
    + ("MIIEowIBAAKCAQEAx7Qz9" * 3 + "\n") * 25
    + "-----END RSA PRIVATE KEY-----",
}
PROSE = "The harbour office told us when high water comes. "


def words(pieces: Pieces) -> str:
    return "".join(text for text, _ in pieces)


def both(text: str, query: str) -> list[Pieces]:
    return [make_snippet(text, Query.of(query)), Needle.of(query).make_snippet(text)]


def test_it_shows_two_lines_around_the_first_match() -> None:
    for result in both(PROSE * 20 + "Then Azores. " + PROSE * 20, "azores"):
        assert [text for text, matched in result if matched] == ["Azores"]
        assert 200 < len(words(result)) < 300
        assert words(result).startswith("…")
        assert words(result).endswith("…")


def test_a_short_text_is_shown_whole() -> None:
    for result in both("Then\n\tAzores.", "azores"):
        assert result == (("Then ", False), ("Azores", True), (".", False))


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("distance", [0, 1, 5, 80, 88, 90, 200, 255, 262, 300])
def test_a_secret_near_a_match_is_masked_wherever_the_cut_falls(name: str, distance: int) -> None:
    secret = SECRETS[name]
    gap = (" " + PROSE * 10)[: distance + 1]
    for text in (f"{PROSE * 3}{secret}{gap} azores {PROSE * 9}", f"{PROSE * 9}azores {gap} {secret} {PROSE * 3}"):
        for result in both(text, "azores"):
            assert "azores" in words(result)
            assert not _leaks(words(result), secret)


@pytest.mark.parametrize("query", ["sk ant*", "api03*", KEY, KEY[:30] + "*"])
def test_who_looks_for_a_secret_is_not_shown_it(query: str) -> None:
    for result in both(f"{PROSE * 3} key {KEY} {PROSE * 9}", query):
        assert not _leaks(words(result), KEY)


def test_what_names_a_password_may_stand_before_the_cut() -> None:
    text = f"{PROSE}\nexport DATABASE_PASSWORD='{'x' * 10}Tr0ub4dor{'y' * 90}' azores"
    for result in both(text, "azores"):
        assert "Tr0ub4dor" not in words(result)


def test_controls_and_directions_are_spelled_out() -> None:
    for result in both("red \x1b[31m azores \u202e reversed", "azores"):
        assert "\x1b" not in words(result)
        assert "\u202e" not in words(result)


@given(before=st.text(max_size=400), after=st.text(max_size=400), at=st.integers(0, 800))
def test_any_text_around_it_keeps_a_token_masked(before: str, after: str, at: int) -> None:
    text = f"{before} {KEY} {after}"
    text = (
        f"{text[:at]} azores {text[at:]}" if at < len(before) or at > len(before) + len(KEY) + 1 else f"{text} azores"
    )
    for result in both(text, "azores"):
        assert not _leaks(words(result), KEY)


def _leaks(shown: str, secret: str) -> bool:
    """Whether a stretch of the secret's inside can be read."""
    inside = secret[len(secret) // 3 :].removesuffix("-----END RSA PRIVATE KEY-----")
    return any(inside[index : index + 8] in shown for index in range(len(inside) - 7))
