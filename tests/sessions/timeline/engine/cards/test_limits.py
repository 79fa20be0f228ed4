from __future__ import annotations

from typing import Any

from sessions.timeline.engine.cards import Changes, Output, Plain, Prose
from sessions.timeline.engine.cards.build import build_cards
from sessions.timeline.engine.cards.lens import CEILING, Lens, Limit
from tests.sessions.timeline.engine.cards.window import assistant, call, cards, part, result, row, single_card, user


def masked(text: str) -> str:
    return text.replace("hunter2", "••••")


def test_a_long_output_is_cut_and_says_how_long_it_is() -> None:
    output = "\n".join(f"line {n}" for n in range(200))
    card = single_card(call("Bash", {"command": "x"}), result(output))
    assert part(card, Output).text == "\n".join(f"line {n}" for n in range(12))
    assert (card.cut, card.size) == (True, len(output))


def test_a_short_card_is_not_cut() -> None:
    card = single_card(user("short"))
    assert (card.cut, card.size) == (False, 5)


def test_the_whole_is_shown_when_asked_for() -> None:
    card = single_card(user("word " * 50_000), whole=True)
    assert len(part(card, Plain).text) == 249_999
    assert not card.cut


def test_even_the_whole_has_a_ceiling() -> None:
    card = single_card(user("x" * (CEILING + 20_000)), whole=True)
    assert len(part(card, Plain).text) == CEILING
    assert card.cut


def test_a_diff_shows_both_sides_of_a_long_replacement() -> None:
    old, new = "\n".join(f"a{n}" for n in range(50)), "\n".join(f"b{n}" for n in range(50))
    card = single_card(call("Edit", {"file_path": "/x", "old_string": old, "new_string": new}), result("ok"))
    diff = part(card, Changes).diff
    assert (diff.removed, diff.added, card.cut) == (8, 8, True)
    assert diff.hunks[0].lines[8].text == "42 more removed"


def test_every_text_is_masked() -> None:
    secret = "hunter2"
    records: list[dict[str, Any]] = [
        user(f"my password is {secret}"),
        assistant({"type": "text", "text": f"`{secret}`"}),
        assistant({"type": "thinking", "thinking": secret}),
        call("Bash", {"command": f"login {secret}", "description": secret}),
        call("Write", {"file_path": f"/{secret}", "content": f"a\n{secret}\nb"}, "t-2"),
        call("mcp__a__b", {secret: secret}, "t-3"),
        call("AskUserQuestion", {"questions": [{"question": secret, "options": [{"label": secret}]}]}, "t-4"),
        call("TodoWrite", {"todos": [{"content": secret}]}, "t-5"),
        call(secret, secret, "t-6"),
        {"type": "attachment", "attachment": {"type": "file", "displayPath": secret}},
        {"type": "system", "subtype": "api_error", "error": {"message": secret}},
        {"type": "user", "isCompactSummary": True, "message": {"content": secret}},
        {"type": secret},
    ]
    rows = [row(record, position) for position, record in enumerate(records)]
    answers = {f"t-{n}": row(result(f"out {secret}", tool_use_id=f"t-{n}"), 100 + n) for n in range(1, 7)}
    output = repr(build_cards(rows, answers, mask=masked)) + repr(build_cards(rows, answers, mask=masked, whole=True))
    assert secret not in output
    assert "••••" in output


def test_a_secret_on_the_cut_is_masked_too() -> None:
    lens = Lens(masked)
    assert lens.block("x" * 96 + "hunter2" + "y" * 50, Limit(100)) == "x" * 96 + "••••"
    assert "hunt" not in lens.line("x" * 157 + "hunter2")


def test_a_secret_over_several_lines_of_a_diff_is_masked() -> None:
    def key(text: str) -> str:
        return text.replace("BEGIN\nbody\nEND", "••••")

    rows = [row(call("Write", {"file_path": "/k", "content": "a\nBEGIN\nbody\nEND"}))]
    (card,) = build_cards(rows, {}, mask=key)
    assert [line.text for line in part(card, Changes).diff.hunks[0].lines] == ["a", "••••"]


def test_terminal_colours_are_left_out_and_other_controls_made_visible() -> None:
    card = single_card(
        call("Bash", {"command": "x"}), result("\x1b[31mred\x1b[0m \x1b]0;title\x07bell\x07 \u202eright")
    )
    assert part(card, Output).text == "red bell␇ ⟨U+202E⟩right"


def test_markdown_that_is_cut_in_a_fence_stays_a_fence() -> None:
    (card,) = cards(assistant({"type": "text", "text": "```\n" + "code line\n" * 2_000}))
    assert part(card, Prose).html.endswith("</code></pre>\n")
    assert card.cut
