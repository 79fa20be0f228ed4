"""The linter on whole directories that were labelled by hand: the demo's, and real ones where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.engine.lint import FORMULA, health
from memory.engine.reading import Directory, parse_file, read_directory
from tests.memory.engine.lint.memories import WRITTEN, found

DEMO = Path(__file__).parents[4] / "sessions" / "demo" / "projects" / "-home-dev-tidewatch" / "memory"
PUBLISHED = Path("/work/shared/corpus/memory/4444J99__portfolio/.claude/memory")
LABELLED = {
    "MEMORY.md": {"dangling-pointer", "index-line-too-long"},
    "broken-header.md": {"invalid-yaml", "missing-why", "missing-how"},
    "invisible-fog.md": {"hidden-characters"},
    "local-time-inside.md": {"contradiction", "stale-project", "missing-how"},
    "metres-two-decimals.md": {"near-duplicate"},
    "next-week.md": {"relative-date", "missing-why", "missing-how"},
    "orphan-moorings.md": {"orphan-topic"},
    "refit-cost.md": {"empty-description"},
    "release-checklist.md": {"missing-why", "missing-how"},
    "server-token.md": {"secret"},
    "station-order.md": {"unknown-type"},
}
"""harbour-office.md, heights-two-decimals.md, user-dev.md and utc-inside.md are good."""


def demo() -> Directory:
    """With dates that do not depend on when it was checked out."""
    files = read_directory(DEMO).files
    written = int(WRITTEN.timestamp() * 1e9)
    return Directory("demo", tuple(parse_file(file.name, file.data, mtime_ns=written) for file in files))


def test_the_demo_gives_all_its_labels_and_no_other() -> None:
    told: dict[str, set[str]] = {}
    for finding in found(demo()):
        told.setdefault(finding.file, set()).add(finding.rule)
    right = sum(len(rules & LABELLED.get(file, set())) for file, rules in told.items())
    print(f"precision {right}/{sum(map(len, told.values()))}, recall {right}/{sum(map(len, LABELLED.values()))}")
    assert told == LABELLED


def test_health_shows_its_sum() -> None:
    directory = demo()
    well = health(directory, found(directory))
    assert well.score == round(100 * (1 - 0.25 * 1 - 0.75 * well.topic_loss))
    assert well.sum == f"100 × (1 − 0.25 × 1.00 − 0.75 × {well.topic_loss:.3f}) = {well.score}"
    assert (well.formula, well.topics) == (FORMULA, 14)
    assert health(directory, []).score == 100
    assert health(Directory("/none", ()), []).score == 100


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="needs the published memory directories")
def test_a_published_directory_has_few_findings_beyond_its_index() -> None:
    """Read by hand: its index has 215 lines, most of its topics were not published, others are not listed."""
    findings = found(read_directory(PUBLISHED))
    of_topics = [finding for finding in findings if finding.file != "MEMORY.md" and finding.rule != "orphan-topic"]
    right = {"missing-why", "missing-how", "git-history", "header-comment", "topic-too-large"}
    wrong = [(finding.rule, finding.file) for finding in of_topics if finding.rule not in right]
    print(f"precision {len(of_topics) - len(wrong)}/{len(of_topics)}")
    assert wrong == []
    assert len(of_topics) < 12
