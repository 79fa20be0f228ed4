"""One tree, two databases: whatever is stored, found and shown must be the same."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.postgres.running import fresh_database, probe
from tests.serving import ROOT
from tests.sessions.hostile import NAMES, PAYLOAD, everywhere, save_with_family
from tests.sessions.writing import Writing

DEMO = ROOT / "sessions" / "demo" / "projects"
LONG_AGO = 1_762_500_000
WORDY = "77777777-2222-4333-8444-555555555555"
HOSTILE = "99999999-2222-4333-8444-555555555555"

TEXTS = (
    "Look at /home/dev/harbour/gauge_reader.py, https://tides.example.org/a/b?c=d and dev@tides.example.org.",
    "Version 1.5.2-rc1 costs 12,50 or -3e5; 0x1f; well-known half-tide; snake_case_name camelCaseName #42 @home",
    "<tag attribute='value'>inside</tag> &amp; it's o'clock \\'quoted\\' \"said\" 100% a&b|c!(d) x:* y<->z",
    "Écluse à marée, Ångström, naïve, Straße, İstanbul, ΟΔΟΣ Οδός, Ελλάδα, МОРЕ море, e\u0301clat",
    "潮汐 表 港口, 한국어 조수, ไทย, हिन्दी शब्द, العربية المد, עברית, emoji 🌊 wave",
    "one\u2028two\u2029three\u0085four\ttab\u00a0space\u200bzero",
)
QUERIES = (
    *(
        "tide",
        "the",
        "Port",
        "PORT hallow",
        '"high water"',
        '"water high"',
        "har*",
        '"high wat*"',
        "hal* port",
        "zzz",
        "a",
    ),
    *(
        "harbour",
        "gauge_reader",
        "gauge",
        "reader.py",
        "tides.example.org",
        "example",
        "dev@tides",
        "1.5.2",
        "rc1",
        "50",
        "3e5",
    ),
    *(
        "0x1f",
        "half-tide",
        "tide half",
        "snake_case_name",
        "case_name",
        "camelcasename",
        "camelCase*",
        "42",
        "tag",
        "inside",
    ),
    *(
        "attribute",
        "amp",
        "it's",
        "clock",
        "quoted",
        "a&b",
        "x:*",
        "y<->z",
        "!",
        "''",
        '"',
        "écluse",
        "ecluse",
        "ECLUSE",
        "maree",
    ),
    *(
        "angstrom",
        "naive",
        "straße",
        "strasse",
        "istanbul",
        "οδος",
        "οδοσ",
        "ελλαδα",
        "море",
        "МОРЕ",
        "éclat",
        "e\u0301clat",
    ),
    *(
        "潮汐",
        "潮",
        "潮*",
        "한국어",
        "한국",
        "한국*",
        "ไทย",
        "हिन्दी",
        "العربية",
        "עברית",
        "🌊",
        "wave",
        "three",
        "zero",
    ),
    *(
        "needle",
        '"word17000 word17001"',
        "word3 word19999",
        '"echo echo"',
        '"echo last"',
        '"last echo"',
        "script alert",
    ),
    *(
        "\x00",
        "a\x00b",
        "%",
        "_",
        "\\",
        "tide' OR 1=1",
        "lucid",
        "<script>",
        "identity",
        "(",
        "AND",
        "NOT tide",
        "NEAR(a b)",
    ),
)
DEEP = ("high water", "Gull", "mooring", "tide", "<script>", "潮汐", "écluse")
AGENTS = ("agents/", "agents/messages/", "agents/prefixes/")
PAGES = (
    "/",
    "/sessions/",
    *(f"/sessions/?sort={sort}" for sort in ("last", "-duration", "turns", "-entries", "-tokens", "cost", "-errors")),
    *("/sessions/?compacted=1", "/sessions/?failed=1", "/sessions/?kind=fork", "/sessions/?kind=continued"),
    *("/sessions/?kind=vanished", "/sessions/?kind=live", "/sessions/?text=TIDE", "/sessions/?branch=main"),
    *("/sessions/?model=claude-opus-5-5", "/sessions/?since=2026-11-01&until=2026-11-04", "/sessions/?project=1"),
    *("/odd/", "/retention/", "/import/", "/palette/?q=tide", "/runs/indicator/", "/health/"),
    *("/search/?q=tide", "/search/?q=tide&deep=1", "/search/?q=%22high+water%22&project=1", "/search/?q=%00"),
    *("/sessions/a%00b/", "/sessions/?text=%00", "/sessions/?branch=%00", f"/sessions/{HOSTILE}/entries/%00/"),
    *(f"/sessions/{HOSTILE}/?at=end", f"/sessions/{HOSTILE}/?all=1"),
    *(f"/sessions/{HOSTILE}/{part}" for part in AGENTS),
)


def tree(folder: Path) -> Path:
    """The demo, a session full of words, and one that is out to break things, all last written long ago."""
    projects = folder / "config" / "projects"
    shutil.copytree(DEMO, projects)
    words = Writing(session=WORDY)
    for text in TEXTS:
        words.user(text)
        words.call("Bash", f"toolu_{len(words.records)}", command=text)
        words.result(f"toolu_{len(words.records) - 1}", f"mooring {text}")
    words.user(" ".join(f"word{number}" for number in range(20_000)) + " needle")
    words.assistant("echo " * 600 + "last")
    words.assistant("x" * 3_000 + " " + " ".join(f"{number:0500d}" for number in range(1_200)))
    words.save(projects / "-home-dev-words")
    save_with_family(everywhere(PAYLOAD, HOSTILE), projects / "-home-dev-hostile", PAYLOAD, "<b>'name\".txt")
    odd = projects / "-home-dev-odd"
    for name in NAMES:
        Writing().turns(1).save(odd, os.fsdecode(name))
    for number, path in enumerate(sorted(projects.rglob("*"))):
        os.utime(path, (LONG_AGO + number, LONG_AGO + number))
    return projects.parent


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> tuple[dict[str, Any], dict[str, Any]]:
    folder = tmp_path_factory.mktemp("both")
    config = tree(folder)
    pages = [*PAGES, *_session_pages(config)]
    parameters = {"search": QUERIES, "deep": DEEP, "pages": pages}
    sqlite = probe(folder / "sqlite", "", [config], **parameters)
    postgres = probe(folder / "postgres", fresh_database(postgres_url), [config], **parameters)
    return sqlite, postgres


def _session_pages(config: Path) -> list[str]:
    sessions = [path.stem for path in config.glob("projects/*/*-*-*-*-*.jsonl")]
    parts = ("", "?at=end", "?at=40", *AGENTS, "find/?q=tide", "live/?after=3", "entries/L0/", "entries/L1/raw/")
    return [f"/sessions/{session}/{part}" for session in sessions for part in parts]


@pytest.mark.parametrize("part", ["report", "again", "transcripts", "sources", "entries", "cache"])
def test_the_same_is_stored(both: tuple[dict[str, Any], dict[str, Any]], part: str) -> None:
    sqlite, postgres = both
    assert postgres[part] == sqlite[part]


def test_everything_was_imported_and_the_second_time_nothing(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    _, postgres = both
    assert postgres["report"]["failed"] == []
    assert postgres["report"]["new_entries"] > 900
    assert postgres["again"] == 0


@pytest.mark.parametrize("query", QUERIES)
def test_the_same_is_found(both: tuple[dict[str, Any], dict[str, Any]], query: str) -> None:
    sqlite, postgres = both
    assert postgres["search"][query] == sqlite["search"][query]


@pytest.mark.parametrize("query", DEEP)
def test_the_same_is_found_in_the_archive(both: tuple[dict[str, Any], dict[str, Any]], query: str) -> None:
    sqlite, postgres = both
    assert postgres["deep"][query] == sqlite["deep"][query]
    assert postgres["deep"][query]


def test_the_same_is_shown(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    sqlite, postgres = both
    assert {page: status for page, (status, _) in postgres["pages"].items() if status >= 500} == {}
    differing = [page for page in sqlite["pages"] if sqlite["pages"][page] != postgres["pages"][page]]
    assert differing == []
