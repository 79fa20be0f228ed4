from __future__ import annotations

import re
import stat
from pathlib import Path

import environ
import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from inspector import settings as declared_settings
from inspector.startup.environment import Environment
from inspector.startup.home import secret_key
from tests.serving import ROOT


def documented() -> dict[str, tuple[str, str]]:
    """Name -> type, default, as the table of the documentation has them."""
    text = (ROOT / "docs" / "configuration.md").read_text()
    rows = re.findall(r"^\| `([A-Z_]+)` \| ([^|]+?) \| (?:`([^`|]*)` )?\| [^|]+ \|$", text, re.M)
    return {name: (kind, default) for name, kind, default in rows}


def declared() -> dict[str, tuple[str, str]]:
    return {setting.name: (setting.type, setting.default) for setting in declared_settings.env.declared}


def test_every_setting_is_documented_and_nothing_else() -> None:
    assert documented().keys() == declared().keys()


def test_the_documented_defaults_are_those_of_the_program() -> None:
    assert {name: default for name, (_, default) in documented().items()} == {
        name: default for name, (_, default) in declared().items()
    }


def test_the_documented_types_are_those_of_the_program() -> None:
    for name, (kind, _) in declared().items():
        # Both are read as text; the table says what the text is.
        said = documented()[name][0]
        assert said == kind or (kind, said) in {("text", "URL"), ("text", "address")}


def test_only_the_settings_file_reads_the_environment() -> None:
    readers = [
        str(path.relative_to(ROOT))
        for app in ("compaction", "inspector", "memory", "sessions")
        for path in (ROOT / app).rglob("*.py")
        if re.search(r"os\.(getenv|environ\b(?!\.setdefault\(\"DJANGO_SETTINGS_MODULE\"))", path.read_text())
    ]
    assert readers == []


def reading(**variables: str) -> Environment:
    source = environ.Env()
    source.ENVIRON = variables
    return Environment(source)


def test_an_empty_variable_counts_as_not_set() -> None:
    assert reading(NAME="").number("NAME", 30) == 30
    assert reading(NAME="").switch("NAME", "on") is True


def test_values_have_types(tmp_path: Path) -> None:
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


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("synchronous", 1), ("foreign_keys", 1), ("busy_timeout", 20_000)],
)
def test_sqlite_is_set_up_for_a_reader_and_a_writer_at_once(pragma: str, value: object) -> None:
    with connection.cursor() as cursor:
        assert cursor.execute(f"PRAGMA {pragma}").fetchone() == (value,)


def test_the_secret_key_is_made_once_and_private(tmp_path: Path) -> None:
    home = tmp_path / "home"
    key = secret_key(home)
    assert len(key) > 50
    assert secret_key(home) == key
    assert stat.S_IMODE((home / "secret.key").stat().st_mode) == 0o600
    assert [path.name for path in home.iterdir()] == ["secret.key"]


def test_an_empty_key_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "secret.key").write_text("")
    assert secret_key(tmp_path) == secret_key(tmp_path) != ""


def test_a_home_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ImproperlyConfigured, match="cannot write to its home"):
        secret_key(tmp_path / "file" / "home")


def test_pages_are_served_without_debugging() -> None:
    assert settings.DEBUG is False
