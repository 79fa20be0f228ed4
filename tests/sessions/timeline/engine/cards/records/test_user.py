from __future__ import annotations

from sessions.timeline.engine.cards import CardKind, Output, Pictures, Plain
from sessions.timeline.engine.cards.card import Fold
from tests.sessions.timeline.engine.cards.window import cards, part, single_card, user


def test_typed_words_are_shown_as_they_were_typed() -> None:
    card = single_card(user("fix *this*\n  please"))
    assert (card.kind, card.title) == (CardKind.USER, "User")
    assert part(card, Plain).text == "fix *this*\n  please"


def test_words_queued_while_the_model_worked_are_the_users() -> None:
    attachment = {"type": "queued_command", "prompt": "and the tests", "commandMode": "prompt"}
    card = single_card({"type": "attachment", "uuid": "q", "attachment": attachment})
    assert card.kind is CardKind.USER
    assert part(card, Plain).text == "and the tests"
    assert card.facts == ("queued while the model worked",)


def test_a_queued_notification_is_a_chip() -> None:
    attachment = {"type": "queued_command", "prompt": "<task-notification>", "commandMode": "task-notification"}
    assert single_card({"type": "attachment", "attachment": attachment}).kind is CardKind.CHIPS


def test_a_slash_command_and_its_output_are_one_small_card() -> None:
    command = (
        "<command-message>review</command-message>\n<command-name>/review</command-name><command-args>14</command-args>"
    )
    text = "<local-command-stdout>\x1b[2mdone\x1b[22m</local-command-stdout>"
    card = single_card(user(command), user(text))
    assert (card.kind, card.title, card.summary) == (CardKind.COMMAND, "/review", "14")
    assert part(card, Output).text == "done"
    assert card.rows == (0, 1)


def test_a_shell_line_typed_at_the_prompt_shows_both_outputs() -> None:
    card = single_card(
        user("<bash-input>make</bash-input>"), user("<bash-stdout>ok</bash-stdout><bash-stderr>hm</bash-stderr>")
    )
    assert (card.title, card.summary) == ("!", "make")
    assert [(out.text, out.tone) for out in card.parts if isinstance(out, Output)] == [("ok", ""), ("hm", "bad")]


def test_an_unclosed_command_tag_is_read_to_its_end() -> None:
    assert single_card(user("<command-name>/clear")).title == "/clear"


def test_an_image_is_given_by_its_number_and_never_inline() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "QUJD"}
    card = single_card(user([{"type": "text", "text": "look"}, {"type": "image", "source": source}]))
    (picture,) = part(card, Pictures).items
    assert (picture.address, picture.n, picture.media_type, picture.bytes) == ("u-1", 0, "image/png", 3)
    assert "QUJD" not in repr(card)


def test_an_image_elsewhere_is_named_and_not_loaded() -> None:
    card = single_card(user([{"type": "image", "source": {"type": "url", "url": "http://example.com/x.png"}}]))
    assert part(card, Output).text == "image at http://example.com/x.png, not loaded"


def test_a_document_says_its_type_and_size() -> None:
    source = {"type": "base64", "media_type": "application/pdf", "data": "x" * 2048}
    assert (
        part(single_card(user([{"type": "document", "source": source}])), Output).text
        == "document application/pdf 2.0 KB"
    )


def test_reminders_between_the_words_are_folded_away() -> None:
    card = single_card(user("hello <system-reminder>be brief</system-reminder>"))
    assert part(card, Plain).text == "hello"
    assert part(card, Fold).title == "Reminder (8 B)"


def test_injected_text_is_folded() -> None:
    card = single_card(user("Base directory: /x\nlong text", isMeta=True, sourceToolUseID="t"))
    assert (card.kind, card.title, card.folded) == (CardKind.NOTE, "Skill", True)


def test_an_interruption_is_a_warning() -> None:
    card = single_card(user([{"type": "text", "text": "[Request interrupted by user for tool use]"}]))
    assert (card.title, card.tone) == ("Interrupted by the user", "warn")


def test_a_failed_task_is_an_error() -> None:
    card = single_card(
        user("<task-notification><status>failed</status><summary>tests broke</summary></task-notification>")
    )
    assert (card.title, card.summary, card.error) == ("Task", "tests broke", True)


def test_words_from_elsewhere_name_their_origin() -> None:
    assert single_card(user("status?", origin={"kind": "peer"})).title == "From peer"


def test_the_prompt_of_a_sub_agent_is_not_called_the_users() -> None:
    assert single_card(user("find it", isSidechain=True)).title == "Prompt"


def test_a_record_without_content_is_shown_raw() -> None:
    assert [card.kind for card in cards(user(None), user([]), {"type": "user"})] == [CardKind.RAW] * 3


def test_an_unknown_block_is_shown_beside_the_words() -> None:
    card = single_card(user([{"type": "text", "text": "hi"}, {"type": "hologram", "depth": 3}]))
    assert "hologram" in part(card, Output).text
