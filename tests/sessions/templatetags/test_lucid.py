from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.template import engines

from sessions.timeline.engine.cards import Card, build_cards
from sessions.transcripts.engine.marks import Fate, Mark
from tests.pages import tight
from tests.sessions.timeline.engine.cards.window import assistant, call, cards, result, row, unmasked, user


class Session:
    public_id = "s 1"


def shown(template: str, **context: Any) -> str:
    page = engines["django"].from_string("{% load lucid %}" + template)
    return str(page.render({"session": Session, **context}))


def page(made: list[Card]) -> str:
    return shown("{% for one in cards %}{% card one %}{% endfor %}", cards=made)


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("{{ x|tokens }}", 12_400, "12.4k"),
        ("{{ x|tokens:'~' }}", 4_100, "~4.1k"),
        ("{{ x|money }}", 0.31, "$0.31"),
        ("{{ x|duration }}", 134_000, "2m 14s"),
        ("{{ x|bytes }}", 42_000, "41 KB"),
        ("{{ x|bytes }}", None, "unknown"),
        ("{{ x|ago }}", datetime.now(UTC) - timedelta(days=3, hours=1), "3 days ago"),
        ("{{ x|clock }}", 1_760_000_000_000, "08:53:20"),
        ("{{ x|clock }}", None, "no time"),
        ("{{ x|clock }}", 10**18, "no time"),
        ("{{ x|moment }}", 1_760_000_000_000, "2025-10-09 08:53:20 UTC"),
    ],
)
def test_numbers_and_moments_are_written_for_people(template: str, value: Any, text: str) -> None:
    assert shown(template, x=value) == text


def test_a_card_has_its_anchor_and_permalink() -> None:
    html = page(cards(user("hi")))
    assert '<article class="card user" id="e0">' in html
    assert 'href="/sessions/s%201/entries/u-1/"' in html


def test_an_odd_address_cannot_leave_its_path() -> None:
    html = page(cards(user("hi", uuid='a/b"?x')))
    assert 'href="/sessions/s%201/entries/a%2Fb%22%3Fx/"' in html


def test_every_text_of_a_card_is_escaped() -> None:
    html = page(
        cards(
            user("<b>1</b>"),
            call("<b>2</b>", {"<b>3</b>": "<b>4</b>"}),
            result("<b>5</b>"),
            call("Edit", {"file_path": "<b>6</b>", "old_string": "<b>7</b>", "new_string": "<b>8</b>"}, "t-2"),
            {"type": "<b>9</b>"},
        )
    )
    assert all(f"&lt;b&gt;{n}&lt;/b&gt;" in html for n in (1, 2, 3, 4, 5, 6, 9))
    assert not any(f"<b>{n}</b>" in html for n in (1, 3, 4, 5, 6, 9))


def test_a_cut_card_links_to_the_whole() -> None:
    html = page(cards(user("word " * 2_000)))
    assert (
        '<a class="more" href="/sessions/s%201/entries/u-1/" hx-get="/sessions/s%201/entries/u-1/?part=full"'
        ' hx-target="closest .card" hx-swap="outerHTML">show all (9.8 KB)</a>'
    ) in html


def test_a_diff_has_added_removed_and_changed_words() -> None:
    html = page(cards(call("Edit", {"file_path": "/a", "old_string": "let x = 1", "new_string": "let x = 2"})))
    assert '<pre class="diff"><del>let x = <b>1</b></del><ins>let x = <b>2</b></ins></pre>' in html


def test_an_image_is_loaded_by_its_address() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "QUJD"}
    html = page(cards(user([{"type": "image", "source": source}])))
    assert '<img src="/sessions/s%201/entries/u-1/images/0/" alt="image 0, 3 B" loading="lazy">' in html
    source["media_type"] = "image/svg+xml"
    assert "<img" not in page(cards(user([{"type": "image", "source": source}])))


def test_a_mark_has_symbol_words_and_a_link() -> None:
    marked = row(user("hi"), 2, marks=(Mark(0, 5, Fate.SNIPPED, 9),))
    html = page(build_cards([marked], {}, mask=unmasked))
    assert '<a class="mk snipped" href="/sessions/s%201/entries/L9/">✂ snipped</a>' in html


def test_agents_lone_results_and_spilled_output_link_on() -> None:
    html = page(cards(call("Agent", {"prompt": "x"}), result("x", {"agentId": "a7"})))
    assert 'href="/sessions/s%201/agents/a7/"' in html
    assert 'href="/sessions/s%201/entries/a-1/">its call' in page(build_cards([row(result("x"))], {}, mask=unmasked))
    html = page(cards(call("Bash", {}), result("x", {"persistedOutputPath": "/r/b c.txt"})))
    assert 'href="/sessions/s%201/results/b%20c.txt/"' in html


def test_folded_cards_and_bars_and_chips_have_frames_of_their_own() -> None:
    thinking = assistant({"type": "thinking", "thinking": "hm\nso"})
    boundary = {"type": "system", "subtype": "compact_boundary"}
    html = page(cards(thinking, boundary, {"type": "mode", "mode": "x"}))
    assert '<details class="card thinking" id="e0">' in html
    assert '<section class="card bar compacted" id="e1">' in html
    assert '<p class="chips" id="e2"><a href="/sessions/s%201/entries/L2/">mode<i>x</i></a>' in tight(html)


def test_the_single_card_template_renders_one() -> None:
    html = (
        engines["django"]
        .get_template("sessions/timeline/cards/_card.html")
        .render({"card": cards(user("x"))[0], "session": Session})
    )
    assert 'id="e0"' in html


def test_a_card_that_was_shown_before_is_another_in_another_session_and_another_view() -> None:
    made = [*cards(user("x" * 9_000)), *cards(assistant({"type": "thinking", "thinking": "hm\nso"}))]
    template = "{% for one in cards %}{% card one %}{% endfor %}"
    first = shown(template, cards=made)
    assert shown(template, cards=made) == first

    class Other:
        public_id = "other"

    elsewhere = str(
        engines["django"].from_string("{% load lucid %}" + template).render({"session": Other, "cards": made})
    )
    assert "/sessions/other/entries/" in elsewhere
    assert "/sessions/s%201/" not in elsewhere
    assert 'hx-swap-oob="true"' in shown(template, cards=made, oob=True)
    assert 'hx-swap-oob="true"' not in shown(template, cards=made)
    assert "part=full" in first
    assert "part=full" not in shown(template, cards=made, chosen=object())
