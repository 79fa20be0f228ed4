from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.mechanisms.engine.guards import quotes as guards_quotes
from compaction.mechanisms.engine.guards.quotes import _find_piece_end, check_quotes, find_quoted_messages
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from tests.sessions.transcripts.engine.spoken import Talk


def summary_of(*items: str) -> str:
    lines = "\n".join(f"   - {item}" for item in items)
    return f"5. Problem Solving:\n   Done.\n6. All User Messages:\n{lines}\n\n7. Pending Tasks:\n   - none\n"


def user_messages(*words: str) -> list[Message]:
    talk = Talk()
    for word in words:
        talk.prompt(word)
        talk.says("yes")
    return talk.messages


def test_words_that_the_user_wrote_are_verbatim() -> None:
    quotes = check_quotes(
        summary_of('"fix the login"', "“and  add tests”"), user_messages("fix the login", "and add\ntests")
    )
    assert (len(quotes.verbatim), quotes.invented, quotes.missing, quotes.remark) == (2, (), (), "")


def test_words_that_nobody_wrote_are_flagged() -> None:
    quotes = check_quotes(summary_of('"fix the login"', '"please delete the database"'), user_messages("fix the login"))
    assert quotes.invented == ('"please delete the database"',)
    assert quotes.remark == "1 quoted user message was never written"


def test_a_changed_word_makes_it_another_sentence() -> None:
    assert check_quotes(summary_of('"fix the logout"'), user_messages("fix the login")).invented


@pytest.mark.parametrize("piece", ["no", "go", "now that it", "it is goo", "1"])
def test_a_piece_of_a_word_is_not_what_the_user_wrote(piece: str) -> None:
    assert check_quotes(summary_of(f'"{piece}"'), user_messages("I know that it is good, all 10 times")).invented


@pytest.mark.parametrize("piece", ["I know", "it is goo...", "…now that", "[...] good", "**know that**", "all 10"])
def test_whole_words_are_and_gaps_may_cut_them(piece: str) -> None:
    assert not check_quotes(summary_of(f'"{piece}"'), user_messages("I know that it is good, all 10 times")).invented


def test_where_words_are_not_parted_any_piece_will_do() -> None:
    assert check_quotes(summary_of('"登录报"'), user_messages("线上登录报错")).verbatim


@pytest.mark.parametrize(("mark", "end"), [("## ", ""), ("### ", " (verbatim)"), ("**", ":**")])
def test_the_section_is_found_without_its_number(mark: str, end: str) -> None:
    words = f'{mark}All User Messages{end}\n- "fix it"\n- "burn it"\n\n{mark}Pending Tasks{end}\n- rest\n'
    quotes = check_quotes(f"{mark}Primary Request{end}\nto fix it\n\n{words}", user_messages("fix it"))
    assert (quotes.verbatim, quotes.invented) == (('"fix it"',), ('"burn it"',))


def test_marked_gaps_are_allowed_but_only_in_order() -> None:
    source = user_messages("first do the parser, then the printer, and never touch the lexer")
    quotes = check_quotes(summary_of('"first do the parser ... never touch the lexer"'), source)
    assert len(quotes.shortened) == 1
    assert check_quotes(summary_of('"never touch the lexer … first do the parser"'), source).invented


def test_messages_that_are_not_quoted_are_missed() -> None:
    quotes = check_quotes(summary_of('"fix the login"'), user_messages("fix the login", "use bun"))
    assert quotes.missing == ("m3",)
    assert quotes.remark == "1 user message is not quoted"


def test_results_and_reminders_are_no_words_of_the_user() -> None:
    talk = Talk()
    talk.injected("<system-reminder>be careful</system-reminder>")
    talk.reads("a.py")
    assert check_quotes(summary_of('"be careful"'), talk.messages).invented == ('"be careful"',)


def test_what_an_earlier_summary_quotes_may_be_quoted_again() -> None:
    earlier = Message("user", (text_block(summary_of('"fix the login"')),), MessageKind.SUMMARY, "s")
    assert check_quotes(summary_of('"fix the login"'), [earlier]).verbatim


def test_what_an_earlier_summary_made_up_stays_made_up_where_the_whole_is_known() -> None:
    second = summary_of('"fix the login"', '"delete the database"')
    earlier = Message("user", (text_block(second),), MessageKind.SUMMARY, "s")
    assert check_quotes(second, [earlier]).invented == ()
    check = check_quotes(second, [earlier], user_messages("fix the login"))
    assert (check.verbatim, check.invented) == (('"fix the login"',), ('"delete the database"',))


@pytest.mark.parametrize("nothing", ["None", "(none)", "No user messages", "[none in this part]"])
def test_an_empty_section_quotes_nothing(nothing: str) -> None:
    assert find_quoted_messages(summary_of(nothing)) == []


@pytest.mark.parametrize(
    "heading",
    ["6. All user messages:", "## 6. All User Messages", "**6. All User Messages:**", "6) All user messages:"],
)
def test_headings_come_in_many_forms(heading: str) -> None:
    summary = f"{heading}\n- one\n  goes on\n- two\n\n7. Pending Tasks:\n- three"
    assert find_quoted_messages(summary) == ["one\ngoes on", "two"]


def test_a_numbered_list_of_the_user_does_not_end_the_section() -> None:
    summary = '6. All user messages:\n   - "do this:\n7. seven\n8. eight"\n   - "then stop"\n7. Pending Tasks:\n   - x'
    assert find_quoted_messages(summary)[-1] == '"then stop"'


def naively(piece: str, text: str, start: int, *, begins: bool, ends: bool) -> int:
    """Character by character."""

    def amid(place: int) -> bool:
        around = text[place - 1 : place + 1] if place else ""
        return len(around) == 2 and all(character.isalnum() and character < "\u0e00" for character in around)

    for check in range(start, len(text) - len(piece) + 1):
        end = check + len(piece)
        if text.startswith(piece, check) and not (piece and ((begins and amid(check)) or (ends and amid(end)))):
            return end
    return -1


@given(
    piece=st.text("ab_ \u0e01", max_size=4),
    text=st.text("ab_ \u0e01é", max_size=30),
    start=st.integers(0, 10),
    begins=st.booleans(),
    ends=st.booleans(),
)
def test_whole_words_are_found_wherever_they_stand(piece: str, text: str, start: int, begins: bool, ends: bool) -> None:
    start = min(start, len(text))
    assert _find_piece_end(piece, text, start, begins=begins, ends=ends) == naively(
        piece, text, start, begins=begins, ends=ends
    )


@pytest.mark.parametrize(("begins", "ends"), [(True, True), (False, True), (True, False)])
def test_a_long_word_is_not_compared_with_itself(monkeypatch: pytest.MonkeyPatch, begins: bool, ends: bool) -> None:
    looks: list[int] = []
    real = guards_quotes._find_word_end

    def counted(text: str, place: int) -> int:
        looks.append(place)
        return real(text, place)

    monkeypatch.setattr(guards_quotes, "_find_word_end", counted)
    _find_piece_end("z" * 40, "y" + "z" * 20_000 + "y", 0, begins=begins, ends=ends)
    assert len(looks) < 10


def test_the_same_words_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    real = guards_quotes._occur_in_order

    def counted(pieces: Sequence[str], text: str) -> bool:
        compared.append(text)
        return real(pieces, text)

    monkeypatch.setattr(guards_quotes, "_occur_in_order", counted)
    check_quotes(summary_of("never said"), user_messages(*["the same again"] * 500))
    assert len(compared) < 10
