from __future__ import annotations

from itertools import count

import pytest

from sessions.requests.engine.prompt_cache.ttl import Ttl
from sessions.requests.engine.system_prompt import (
    BOUNDARY,
    Provider,
    Scope,
    SectionState,
    assemble,
    render_sections,
    scope_texts,
    stable_section,
    system_blocks,
    volatile_section,
)
from sessions.requests.engine.system_prompt.sections import UnexplainedSectionError

TEXTS = assemble(["rules", "tone"], ["today", "memory"])


def test_a_section_is_computed_once() -> None:
    numbers = count(1)
    sections = [stable_section("memory", lambda: f"number {next(numbers)}")]
    first, state = render_sections(sections)
    again, _ = render_sections(sections, state)
    assert first == again == ["number 1"]


def test_a_clear_or_a_compaction_computes_it_anew() -> None:
    numbers = count(1)
    sections = [stable_section("memory", lambda: f"number {next(numbers)}")]
    render_sections(sections)
    assert render_sections(sections, SectionState())[0] == ["number 2"]


def test_a_volatile_one_is_computed_each_time_and_says_when_it_changed() -> None:
    numbers = count(1)
    sections = [volatile_section("mcp", lambda: f"number {next(numbers)}", "servers come and go")]
    _, state = render_sections(sections)
    texts, later = render_sections(sections, state)
    assert texts == ["number 2"]
    assert (state.changed, later.changed) == ((), ("mcp",))


def test_nobody_makes_one_volatile_without_a_reason() -> None:
    with pytest.raises(UnexplainedSectionError):
        volatile_section("mcp", lambda: "", " ")


def test_empty_sections_are_left_out() -> None:
    assert render_sections(
        [stable_section("a", lambda: None), stable_section("b", lambda: " "), stable_section("c", lambda: "c")]
    )[0] == ["c"]


def test_static_text_is_shared_by_all_and_the_rest_by_the_organisation() -> None:
    parts = scope_texts(TEXTS, attribution="billing", prefix="you are")
    assert [(part.text, part.scope) for part in parts] == [
        ("billing", Scope.NONE),
        ("you are", Scope.NONE),
        ("rules\n\ntone", Scope.GLOBAL),
        ("today\n\nmemory", Scope.ORG),
    ]


@pytest.mark.parametrize("provider", [Provider(first_party=False), Provider(mcp_tools=True)])
def test_nothing_is_shared_by_all_with_other_providers_or_mcp_tools(provider: Provider) -> None:
    assert [part.scope for part in scope_texts(TEXTS, provider)] == [Scope.ORG, Scope.ORG]


def test_a_custom_prompt_is_not_divided() -> None:
    (part,) = scope_texts(["my own rules"], Provider(custom_prompt=True))
    assert (part.text, part.scope) == ("my own rules", Scope.ORG)


def test_the_boundary_is_never_sent() -> None:
    for provider in (Provider(), Provider(custom_prompt=True)):
        assert all(BOUNDARY not in part.text for part in scope_texts(TEXTS, provider))


def test_blocks_carry_marks_by_their_scope() -> None:
    blocks = system_blocks(scope_texts(TEXTS, prefix="you are"), Ttl.ONE_HOUR)
    assert [block.get("cache_control") for block in blocks] == [
        None,
        {"type": "ephemeral", "ttl": "1h", "scope": "global"},
        {"type": "ephemeral", "ttl": "1h"},
    ]
