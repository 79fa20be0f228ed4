from __future__ import annotations

import pytest

from compaction.kinds.engine import Kind, config_of
from compaction.kinds.engine.about import ABOUT, MODES
from compaction.kinds.engine.fields import fields_of
from compaction.kinds.engine.settings import MODE, Mode

ALL = [(kind, mode) for kind in Kind for mode in (Mode if kind is Kind.MICROCOMPACT else (Mode.TIME,))]


@pytest.mark.parametrize(("kind", "mode"), ALL)
def test_every_field_says_what_it_means_and_takes_its_own_default(kind: Kind, mode: Mode) -> None:
    given = {MODE: str(mode)} if kind is Kind.MICROCOMPACT else {}
    for field in fields_of(kind, mode).all:
        assert field.meaning, field.name
        assert field.label
        assert config_of(kind, {field.name: field.default, **given}) == config_of(kind, given)


def test_what_is_asked_for_elsewhere_or_makes_no_difference_is_no_field() -> None:
    assert not fields_of(Kind.SNIP).all
    names = {field.name for kind, mode in ALL for field in fields_of(kind, mode).all}
    assert not names & {"enabled", "path", "mode", "full.instructions", "pipeline.budget.path", "nudge_every"}


def test_what_people_look_for_comes_first() -> None:
    assert [field.label for field in fields_of(Kind.BUDGET).first][:2] == ["One result", "All results of a message"]
    assert [group.title for group in fields_of(Kind.FULL).more] == [
        "Asking a model",
        "Attached again after the summary",
        "Mechanical summary",
    ]


def test_every_kind_and_mode_has_its_words() -> None:
    assert set(ABOUT) == set(Kind)
    assert set(MODES) == set(Mode)
    assert all(about.title and about.goes and about.lost for about in ABOUT.values())
