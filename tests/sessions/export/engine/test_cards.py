from __future__ import annotations

from sessions.export.engine import card_markdown
from sessions.timeline.engine.cards import (
    Badge,
    Card,
    CardKind,
    Chip,
    Fold,
    Link,
    Links,
    Output,
    Pairs,
    Part,
    Picture,
    Pictures,
    Prose,
    Question,
    Questions,
    Spill,
    Todo,
    Todos,
)
from sessions.transcripts.engine.marks import Fate


def card(*parts: Part, kind: CardKind = CardKind.TOOL, title: str = "Tool", **more: object) -> Card:
    return Card(kind, 3, "u-1", None, 1, title, parts=parts, **more)  # type: ignore[arg-type]


def test_who_speaks_has_a_heading_and_the_words_as_written() -> None:
    output = card(Prose("all **done**"), kind=CardKind.ASSISTANT, title="Assistant", facts=("model-a",))
    assert card_markdown(output, "10:00:00") == "#### Assistant · model-a · 10:00:00\n\nall **done**\n\n"


def test_a_call_is_one_line_and_its_output_a_fence() -> None:
    output = card(Output("a\n```\nb"), title="Bash", summary="ls `x`", facts=("exit 1",), error=True)
    assert card_markdown(output) == "**✕ Bash** `` ls `x` `` · exit 1\n\n````\na\n```\nb\n````\n\n"


def test_a_fate_is_said_once_in_a_run() -> None:
    badge = Badge(Fate.SUMMARISED, "▨", "in summary ↓", 9)
    second = Badge(Fate.SUMMARISED, "▨", "in summary ↓", 9, repeated=True)
    assert "▨ in summary ↓" in card_markdown(card(marks=(badge,)))
    assert "▨" not in card_markdown(card(marks=(second,)))


def test_thinking_is_a_quotation() -> None:
    output = card(Prose("one\n\ntwo"), kind=CardKind.THINKING, title="Thinking", summary="one two")
    assert card_markdown(output) == "*Thinking*\n\n> one\n>\n> two\n\n"


def test_chips_are_a_line() -> None:
    chips = (Chip("hook", "a_b*", 1, "u", count=2), Chip("date", "", 2, "v"))
    assert card_markdown(card(kind=CardKind.CHIPS, chips=chips)) == "*hook a_b\\** ×2 · *date*\n\n"


def test_a_boundary_stands_between_rules() -> None:
    output = card(Fold("Summary", (Prose("they talked"),)), kind=CardKind.BAR, summary="Compacted.", facts=("took 2s",))
    assert card_markdown(output) == "---\n\n**Compacted.** took 2s\n\n> **Summary**\n>\n> they talked\n\n---\n\n"


def test_named_values_keep_their_lines() -> None:
    output = card_markdown(card(Pairs((("path", "/a"), ("text", "x\ny"), ("none", "")))))
    assert "- path: `/a`\n- text: \n\n  ```\n  x\n  y\n  ```\n\n- none: (empty)" in output


def test_lists_questions_links_pictures_and_files_have_a_form() -> None:
    output = card_markdown(
        card(
            Todos((Todo("a", "completed"), Todo("b", "in_progress"), Todo("c", "pending")), more=2),
            Questions((Question("Which?", ("x", "y"), ""),)),
            Links((Link("t]", "https://example.org/a_(b)"), Link("odd", "https://example.org/> x"))),
            Pictures((Picture("u-1", 0, "image/png", 12_288),)),
            Spill("out.txt", "1.2 MB"),
        )
    )
    assert "- [x] a\n- [ ] b (in progress)\n- [ ] c\n- and 2 more" in output
    assert "- **Which?**\n  - x · y\n  - → no answer recorded" in output
    assert "- [t\\]](<https://example.org/a_(b)>)\n- odd" in output
    assert "[image: image/png, 12 KB]" in output
    assert "*1.2 MB on disk (out.txt); the model got a preview.*" in output


def test_a_card_that_is_cut_says_so() -> None:
    assert "*Cut here; the rest is in the record.*" in card_markdown(card(Output("x"), cut=True))
