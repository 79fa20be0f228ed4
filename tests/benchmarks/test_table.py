from __future__ import annotations

import pytest

from benchmarks.table import Row, at_least, at_most, markdown_table, number, text_table


def test_a_target_judges_the_ratio_where_there_is_one() -> None:
    row = Row("import M", "browsable", 20.0, "s", 4.0, "orjson", at_most(4.5))
    assert row.verdict == "ok"


def test_a_target_judges_the_value_where_there_is_no_ratio() -> None:
    assert Row("page", "queries", 13, "", target=at_most(12)).verdict == "over"
    assert Row("search", "needles", 13, "", target=at_least(13)).verdict == "ok"


def test_a_row_without_a_target_has_no_verdict() -> None:
    assert Row("floors", "orjson", 0.9, "s").verdict == ""


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (0.456, "0.46"), (9.994, "9.99"), (12.34, "12.3"), (1234.5, "1,234")]
)
def test_numbers_have_three_digits_that_matter(value: float, shown: str) -> None:
    assert number(value) == shown


def test_both_tables_show_every_row_with_its_ratio_and_target() -> None:
    rows = [Row("import M", "whole", 7.1, "s", 7.8, "orjson", at_most(8)), Row("floors M", "orjson", 0.91, "s")]
    assert "7.80 × orjson" in text_table(rows)
    assert "| import M | whole | 7.10 s | 7.80 × orjson | ≤ 8 | ok |" in markdown_table(rows)
    assert len(markdown_table(rows).splitlines()) == 4
