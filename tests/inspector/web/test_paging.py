from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.web.paging import page_of


def test_the_page_that_is_nearest_to_the_one_asked_for_is_shown() -> None:
    assert page_of(0, size=50, total=120).number == 1
    assert page_of(99, size=50, total=120).number == 3
    assert page_of(5, size=50, total=0).number == 1


def test_the_pager_offers_the_ends_and_the_neighbours() -> None:
    assert page_of(10, size=1, total=20).numbers == [1, None, 8, 9, 10, 11, 12, None, 20]
    assert page_of(1, size=1, total=3).numbers == [1, 2, 3]


def test_no_gap_stands_for_a_single_page() -> None:
    assert page_of(5, size=1, total=9).numbers == [1, 2, 3, 4, 5, 6, 7, 8, 9]


@given(st.integers(-5, 500), st.integers(1, 60), st.integers(0, 5000))
def test_pages_cover_every_item_once(number: int, size: int, total: int) -> None:
    page = page_of(number, size=size, total=total)
    assert 0 <= page.start <= page.stop <= total
    assert page.stop - page.start == (size if page.next else total - page.start)
    assert page.number in page.numbers
    assert page.numbers[0] == 1
    assert page.numbers[-1] == page.pages
