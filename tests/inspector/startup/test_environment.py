from __future__ import annotations

from pathlib import Path

import environ
import pytest
from django.core.exceptions import ImproperlyConfigured

from inspector.startup.environment import Environment


def reading(**variables: str) -> Environment:
    source = environ.Env()
    source.ENVIRON = variables
    return Environment(source)


def test_an_empty_variable_counts_as_not_set() -> None:
    assert reading(NAME="").number("NAME", 30) == 30
    assert reading(NAME="").switch("NAME", "on") is True


def test_each_type_of_value_is_parsed(tmp_path: Path) -> None:
    env = reading(A="7", B="Off", C=" a.test, b.test ,", D="~/x", E="debug", F="postgres://u:p@h:5/n")
    assert env.number("A", 1) == 7
    assert env.switch("B", "on") is False
    assert env.names("C") == ["a.test", "b.test"]
    assert env.path("D", "~/y") == Path.home() / "x"
    assert env.choice("E", "INFO", "DEBUG", "INFO") == "DEBUG"
    database = env.database("F", default=tmp_path)
    assert (database["ENGINE"], database["HOST"], database["NAME"]) == ("django.db.backends.postgresql", "h", "n")


def test_a_home_with_odd_characters_has_its_database_inside() -> None:
    database = reading().database("DATABASE_URL", default=Path("/tmp/a b?c#d%20e/lucid.sqlite3"))
    assert database["NAME"] == "/tmp/a b?c#d%20e/lucid.sqlite3"


def test_an_amount_may_be_missing_or_nothing() -> None:
    assert reading().amount("NAME") is None
    assert reading(NAME="0").amount("NAME") == 0
    assert reading(NAME="12.50").amount("NAME") == 12.5


@pytest.mark.parametrize("value", ["-1", "much", "nan", "inf"])
def test_an_amount_is_a_number_from_zero(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="NAME"):
        reading(NAME=value).amount("NAME")


@pytest.mark.parametrize("value", ["many", "0", "-1", "1.5"])
def test_a_number_is_a_whole_one(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"NAME is “{value}”"):
        reading(NAME=value).number("NAME", 30)


def test_a_switch_is_on_or_off() -> None:
    with pytest.raises(ImproperlyConfigured, match="on or off"):
        reading(NAME="perhaps").switch("NAME", "on")


def test_a_choice_is_one_of_those() -> None:
    with pytest.raises(ImproperlyConfigured, match="DEBUG, INFO"):
        reading(NAME="loud").choice("NAME", "INFO", "DEBUG", "INFO")


@pytest.mark.parametrize("url", ["mysql://user:secret@host/name", "nonsense secret"])
def test_only_two_kinds_of_database_are_known_and_no_password_is_repeated(url: str, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL must be") as refusal:
        reading(DATABASE_URL=url).database("DATABASE_URL", default=tmp_path)
    assert "secret" not in str(refusal.value)


def test_what_is_declared_tells_what_set_it() -> None:
    env = reading(GIVEN="off", EMPTY="")
    env.switch("GIVEN", "on")
    env.switch("EMPTY", "on")
    assert [(item.value, item.given_by) for item in env.declared] == [("off", "the environment"), ("on", "")]
    env.override("EMPTY", "off", "a command")
    assert [(item.value, item.given_by) for item in env.declared] == [("off", "the environment"), ("off", "a command")]


def test_a_secret_is_read_and_not_kept() -> None:
    env = reading(KEY=" hunter2 ")
    assert env.secret("KEY") == "hunter2"
    assert "hunter2" not in repr(env.declared)
    assert env.declared[0].given_by == "the environment"
