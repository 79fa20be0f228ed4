from __future__ import annotations

from itertools import permutations

from sessions.linking.engine import Holder, find_owner


def test_the_file_that_began_first_owns_a_copied_record() -> None:
    files = [Holder(1, 300, "a"), Holder(2, 100, "z"), Holder(3, 200, "b")]

    assert {find_owner(order) for order in permutations(files)} == {2}


def test_of_files_that_began_together_the_first_by_path_owns_it() -> None:
    files = [Holder(1, 100, "b"), Holder(2, 100, "a")]

    assert {find_owner(order) for order in permutations(files)} == {2}


def test_a_file_without_times_owns_nothing_that_another_has() -> None:
    assert find_owner([Holder(1, None, "a"), Holder(2, 900, "z")]) == 2
    assert find_owner([Holder(1, None, "a")]) == 1


def test_time_zero_is_a_time() -> None:
    assert find_owner([Holder(1, None, "a"), Holder(2, 0, "z")]) == 2


def test_nobody_owns_what_nobody_holds() -> None:
    assert find_owner([]) is None
