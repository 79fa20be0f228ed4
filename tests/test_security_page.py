"""The table of threats names tests and files that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "security.md").read_text()


def rows() -> list[list[str]]:
    table = PAGE.partition("## Threats")[2].partition("##")[0]
    lines = [line for line in table.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_threat_has_a_control_and_a_test_that_exists() -> None:
    sources = [path.read_text() for path in (ROOT / "tests").rglob("test_*.py")]
    known = {name for source in sources for name in re.findall(r"^def (test_\w+)", source, re.MULTILINE)}
    assert len(rows()) > 12
    for threat, control, tests in rows():
        named = re.findall(r"`([^`]+)`", tests)
        assert control, threat
        assert named, threat
        for name in named:
            assert name in known or (ROOT / name).is_file(), (threat, name)


def test_the_files_of_the_controls_exist() -> None:
    files = re.findall(r"`((?:inspector|memory|sessions|compaction|tests)/[\w./]+)`", PAGE)
    assert len(files) > 12
    assert [name for name in files if not (ROOT / name).exists()] == []


def test_the_report_of_a_weakness_is_private() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    assert "Report a vulnerability" in text
    assert not re.search(r"[\w.]+@[\w.]+", text)
