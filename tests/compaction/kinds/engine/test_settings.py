from __future__ import annotations

import pytest

from compaction.kinds.engine import KindError, KindSpec, config_of, settings_of
from compaction.kinds.engine.specs import KINDS
from compaction.kinds.engine.specs.auto import AUTO
from compaction.kinds.engine.specs.budget import BUDGET
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.engine.specs.microcompact import MICROCOMPACT


def test_a_setting_gets_the_type_of_its_field() -> None:
    config = config_of(BUDGET, {"per_result": "1,000", "enabled": "off", "per_tool": "Read:10,Bash:none"})
    assert (config.per_result, config.enabled, config.per_tool) == (1_000, False, {"Read": 10, "Bash": None})


def test_the_end_of_a_name_is_enough_where_only_one_ends_so() -> None:
    assert config_of(AUTO, {"percent": "12.5"}).pipeline.auto.percent == 12.5
    assert config_of(FULL, {"files.most": "2"}).attachments.files.most == 2


def test_a_name_that_could_be_several_is_refused_with_all_of_them() -> None:
    with pytest.raises(KindError, match=r"'tokens_each' could be .*files.tokens_each, .*skills.tokens_each\."):
        config_of(FULL, {"tokens_each": "2"})


def test_an_unknown_name_is_refused_with_what_there_is() -> None:
    with pytest.raises(KindError, match=r"budget has no setting 'size'\. There are: enabled, per_result, per_message"):
        config_of(BUDGET, {"size": "2"})


@pytest.mark.parametrize(
    ("kind", "name", "value", "words"),
    [
        (BUDGET, "per_result", "many", "per_result has to be a whole number, not 'many'."),
        (BUDGET, "per_result", "-1", "It must not be negative."),
        (BUDGET, "enabled", "maybe", "enabled has to be on or off"),
        (MICROCOMPACT, "mode", "magic", "mode has to be time or cached or api"),
        (FULL, "share", "1.5", "share has to be a number, not '1.5'. It must not be more than 1."),
        (AUTO, "percent", "inf", "percent has to be a number or none"),
    ],
)
def test_a_wrong_value_is_refused_with_the_type(kind: KindSpec, name: str, value: str, words: str) -> None:
    with pytest.raises(KindError) as error:
        config_of(kind, {name: value})
    assert words in str(error.value)


def test_microcompact_has_the_settings_of_its_mode() -> None:
    assert config_of(MICROCOMPACT, {"keep": "2"}).keep == 2
    assert config_of(MICROCOMPACT, {"mode": "cached", "trigger": "3"}).trigger == 3
    with pytest.raises(KindError, match="no setting 'trigger'"):
        config_of(MICROCOMPACT, {"trigger": "3"})


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_default_can_be_listed_and_has_a_type(kind: KindSpec) -> None:
    settings = settings_of(kind)
    assert settings
    assert all(setting.type != "a value" for setting in settings)
