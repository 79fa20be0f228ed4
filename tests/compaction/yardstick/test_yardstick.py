"""A compaction that is made here is held against the request that the client sent after its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compaction.yardstick.__main__ import misses, recordings, table, verdicts
from tests.compaction.yardstick.boundaries import boundaries_of
from tests.compaction.yardstick.parts import Words, first_difference
from tests.samples import SHARED, needs_samples
from tests.truth.recordings import FOLDER

RECORDED, RECORDED_EXACT, RECORDED_PARTS = 6, 6, 24
"""Boundaries of the recordings in the tree, how many of them are exact, and how many of their parts: the floor."""
SAMPLES, SAMPLES_EXACT, SAMPLES_PARTS = 24, 20, 90


def _held(root: Path, boundaries: int, exact: int, parts: int) -> None:
    result = verdicts(recordings(root))
    right = sum(not difference for verdict in result for difference in verdict.differences.values())
    report = f"{table(result)}\n{misses(result)}"
    assert len(result) == boundaries, report
    assert sum(verdict.is_exact for verdict in result) >= exact, report
    assert right >= parts, report
    assert not any(verdict.declined or verdict.unexplained for verdict in result), report


def test_a_compaction_of_a_recording_in_the_tree_is_as_near_to_the_clients_as_it_was() -> None:
    _held(FOLDER, RECORDED, RECORDED_EXACT, RECORDED_PARTS)


@needs_samples
def test_a_compaction_of_a_sample_is_as_near_to_the_clients_as_it_was() -> None:
    _held(SHARED / "realclient", SAMPLES, SAMPLES_EXACT, SAMPLES_PARTS)


@needs_samples
def test_the_table_in_the_documents_is_what_the_yardstick_says_now() -> None:
    assert table(verdicts(recordings(FOLDER, SHARED / "realclient"))) in Path("docs/truth.md").read_text("utf-8")


def test_the_session_before_a_boundary_holds_nothing_of_it() -> None:
    boundary = next(boundaries_of(FOLDER / "2.1.197" / "compact"))
    assert "compact_boundary" not in {row.detail for row in boundary.before.rows}
    assert boundary.summary.startswith("1. Primary Request and Intent")
    assert (boundary.kind, boundary.version) == ("full", "2.1.197")


@pytest.mark.parametrize(
    ("sent", "ours", "difference"),
    [("ab", "ab", ""), ("ab", "ac", "sent “b”, ours “c”"), ("ab", "a", "missing “b”"), ("a", "ab", "too much: “b”")],
)
def test_the_first_difference_is_named(sent: str, ours: str, difference: str) -> None:
    assert first_difference([_word(name) for name in sent], [_word(name) for name in ours]) == difference


def _word(name: str) -> Words:
    return Words(frozenset({name}), name)
