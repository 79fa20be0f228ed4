"""The linter on whole directories that were labelled by hand: the demo's, and real ones where they are at hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from memory.files.engine.reading import MemoryDirectory, parse_file, read_directory
from memory.lint.engine import FORMULA, Recalls, compute_health, similarity
from memory.lint.engine.similarity import find_similar_pairs
from tests.memory.lint.engine.memories import WRITTEN, findings_in
from tests.samples import SHARED, needs_samples

DEMO = Path(__file__).parents[4] / "sessions" / "demo" / "projects" / "-home-dev-tidewatch" / "memory"
WITHOUT_FAULT = Path(__file__).parent / "good"
"""Topics such as careful people keep them."""
PUBLISHED = SHARED / "corpus" / "memory" / "4444J99__portfolio" / ".claude" / "memory"
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


def labelled(folder: Path) -> MemoryDirectory:
    """With dates that do not depend on when it was checked out."""
    written = int(WRITTEN.timestamp() * 1e9)
    files = read_directory(folder).files
    return MemoryDirectory(str(folder), tuple(parse_file(file.name, file.data, mtime_ns=written) for file in files))


def test_the_demo_gives_all_its_labels_and_no_other() -> None:
    values: dict[str, set[str]] = {}
    for finding in findings_in(labelled(DEMO)):
        values.setdefault(finding.file, set()).add(finding.rule)
    right = sum(len(rules & LABELLED.get(file, set())) for file, rules in values.items())
    print(f"precision {right}/{sum(map(len, values.values()))}, recall {right}/{sum(map(len, LABELLED.values()))}")
    assert values == LABELLED


def test_topics_without_fault_are_left_alone() -> None:
    directory = labelled(WITHOUT_FAULT)
    assert len(directory.topics) == 18
    assert findings_in(directory, recalls=Recalls(dict.fromkeys(directory.by_name, 1), sessions=20)) == []


def test_texts_are_compared_in_line_with_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(7)
    words = ["".join(random.choices("abcdefgh", k=6)) for _ in range(3_000)]
    compared = Counter[int]()

    def counted(counts: dict[int, float], other: dict[int, float]) -> float:
        compared[many] += 1
        return cosine(counts, other)

    cosine = similarity._cosine
    monkeypatch.setattr(similarity, "_cosine", counted)
    for many in (200, 1_000):
        texts = [" ".join(random.choices(words[:200], k=20) + random.choices(words, k=20)) for _ in range(many)]
        assert find_similar_pairs(texts) == []
    assert compared[1_000] < 1_000


def test_health_shows_its_sum() -> None:
    directory = labelled(DEMO)
    well = compute_health(directory, findings_in(directory))
    assert well.score == round(100 * (1 - 0.25 * 1 - 0.75 * well.topic_loss))
    assert well.sum == f"100 × (1 − 0.25 × 1.00 − 0.75 × {well.topic_loss:.3f}) = {well.score}"
    assert (well.formula, well.topics) == (FORMULA, 14)
    assert compute_health(directory, []).score == 100
    assert compute_health(MemoryDirectory("/none", ()), []).score == 100


@needs_samples
def test_a_published_directory_has_few_findings_beyond_its_index() -> None:
    """Read by hand: its index has 215 lines, most of its topics were not published, others are not listed."""
    findings = findings_in(read_directory(PUBLISHED))
    of_topics = [finding for finding in findings if finding.file != "MEMORY.md" and finding.rule != "orphan-topic"]
    right = {"missing-why", "missing-how", "git-history", "header-comment", "topic-too-large", "task-state"}
    wrong = [(finding.rule, finding.file) for finding in of_topics if finding.rule not in right]
    print(f"precision {len(of_topics) - len(wrong)}/{len(of_topics)}")
    assert wrong == []
    assert len(of_topics) < 15


@needs_samples
def test_the_logs_of_sessions_in_a_published_directory_are_told_and_nothing_else() -> None:
    """Read by hand: three of its topics log what a session did and left open; the others are rules and facts."""
    output = {
        finding.file: finding.line for finding in findings_in(read_directory(PUBLISHED)) if finding.rule == "task-state"
    }
    assert output == {
        "project_artifact_session_corpus_rescue_2026_04_29.md": 48,
        "project_ci_next_level.md": 7,
        "project_session_2026-04-30_corpus_rescue_close_out.md": 35,
    }
