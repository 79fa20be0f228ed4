from __future__ import annotations

import pytest

from compaction.kinds.engine import KindSpec, config_of
from compaction.kinds.engine.fields import fields_of
from compaction.kinds.engine.settings import MODE
from compaction.kinds.engine.specs import KINDS
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.snip import SNIP

KINDS_AND_MODES = [(kind, mode) for kind in KINDS for mode in ([mode.name for mode in kind.modes] or [""])]


@pytest.mark.parametrize(("kind", "mode"), KINDS_AND_MODES, ids=str)
def test_every_field_says_what_it_means_and_takes_its_own_default(kind: KindSpec, mode: str) -> None:
    settings = {MODE: mode} if mode else {}
    for field in fields_of(kind, mode).all:
        assert field.meaning, field.name
        assert field.label
        assert config_of(kind, {field.name: field.default, **settings}) == config_of(kind, settings)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_field_that_a_kind_shows_first_or_hides_is_a_setting_of_it(kind: KindSpec) -> None:
    modes = [mode.name for mode in kind.modes] or [""]
    output = {field.name for mode in modes for field in fields_of(kind, mode).all}
    assert set(kind.first_fields) <= output
    assert not set(kind.hidden_fields) & output
    for name in kind.hidden_fields:
        config_of(kind, {name: "off" if name.endswith("enabled") else "1"})


def test_what_is_asked_for_elsewhere_or_makes_no_difference_is_no_field() -> None:
    assert not fields_of(SNIP).all
    names = {field.name for kind, mode in KINDS_AND_MODES for field in fields_of(kind, mode).all}
    assert not names & {"enabled", "path", "mode", "full.instructions", "pipeline.budget.path", "nudge_every"}


def test_what_people_look_for_comes_first() -> None:
    assert [field.label for field in fields_of(BUDGET).first][:2] == ["One result", "All results of a message"]
    assert [group.title for group in fields_of(FULL).more] == [
        "Asking a model",
        "Attached again after the summary",
        "Mechanical summary",
    ]
