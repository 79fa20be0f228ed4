from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.db import connection

from inspector import settings as declared_settings
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
        words = documented()[name][0]
        assert words == kind or (kind, words) in {("text", "URL"), ("text", "address")}


def test_only_the_settings_file_reads_the_environment() -> None:
    readers = [
        str(path.relative_to(ROOT))
        for app in ("compaction", "inspector", "memory", "sessions")
        for path in (ROOT / app).rglob("*.py")
        if re.search(
            r"os\.(getenv|environ\b(?!\.setdefault\(\"DJANGO_SETTINGS_MODULE|\[\"\w+\"\] = ))", path.read_text()
        )
    ]
    assert readers == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("pragma", "value"), [("journal_mode", "wal"), ("synchronous", 1), ("foreign_keys", 1), ("busy_timeout", 20_000)]
)
def test_sqlite_is_set_up_for_a_reader_and_a_writer_at_once(pragma: str, value: object) -> None:
    with connection.cursor() as cursor:
        assert cursor.execute(f"PRAGMA {pragma}").fetchone() == (value,)


def test_pages_are_served_without_debugging() -> None:
    assert settings.DEBUG is False
