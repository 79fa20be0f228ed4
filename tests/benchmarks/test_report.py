from __future__ import annotations

import pytest

from benchmarks.report import DOCUMENT, MARKS, document_text
from benchmarks.table import Row, at_most

ROWS = [Row("import M", "browsable", 3.9, "s", 4.0, "orjson", at_most(4.5)), Row("floors M", "orjson", 0.9, "s")]


def test_the_document_gets_the_judged_rows_between_its_marks() -> None:
    text = document_text(f"before\n{MARKS[0]}old\n{MARKS[1]}after\n", ROWS, "Measured today.")

    assert text.startswith(f"before\n{MARKS[0]}Measured today.")
    assert text.endswith(f"{MARKS[1]}after\n")
    assert "| import M | browsable | 3.90 s | 4.00 × orjson | ≤ 4.5 | ok |" in text
    assert "old" not in text
    assert "floors M" not in text


def test_a_document_without_marks_is_left_alone() -> None:
    with pytest.raises(ValueError, match="numbers"):
        document_text("nothing here", ROWS, "Measured today.")


def test_our_document_has_the_marks() -> None:
    assert document_text(DOCUMENT.read_text(), ROWS, "Measured today.").count(MARKS[0]) == 1
