from __future__ import annotations

from sessions.context.engine.left_out import LeftOutEntry, LeftOutReason
from sessions.context.engine.presentation.left_out_groups import EntryRange, group_by_reason

SUMMARISED, UNSENT, CLEARED = LeftOutReason.SUMMARISED, LeftOutReason.UNSENT, LeftOutReason.CLEARED


def test_nothing_left_out_has_no_groups() -> None:
    assert group_by_reason([]) == []


def test_entries_in_a_row_are_one_range() -> None:
    (group,) = group_by_reason(
        [LeftOutEntry(3, SUMMARISED, 9), LeftOutEntry(4, SUMMARISED, 9), LeftOutEntry(5, SUMMARISED, 9)]
    )
    assert (group.count, group.causes[0].by, group.causes[0].ranges) == (3, 9, (EntryRange(3, 5, 3),))


def test_a_range_goes_on_over_what_is_left_out_for_other_reasons() -> None:
    groups = group_by_reason([LeftOutEntry(3, SUMMARISED, 9), LeftOutEntry(4, UNSENT), LeftOutEntry(5, SUMMARISED, 9)])
    assert [group.causes[0].ranges for group in groups] == [(EntryRange(3, 5, 2),), (EntryRange(4, 4, 1),)]


def test_a_range_ends_where_the_model_saw_something() -> None:
    (group,) = group_by_reason([LeftOutEntry(3, SUMMARISED, 9), LeftOutEntry(5, SUMMARISED, 9)])
    assert group.causes[0].ranges == (EntryRange(5, 5, 1), EntryRange(3, 3, 1))
    groups = group_by_reason(
        [LeftOutEntry(3, SUMMARISED, 9), LeftOutEntry(4, CLEARED, 8), LeftOutEntry(5, SUMMARISED, 9)]
    )
    assert groups[0].causes[0].ranges == (EntryRange(5, 5, 1), EntryRange(3, 3, 1))


def test_each_cause_has_its_own_ranges_the_newest_first() -> None:
    (group,) = group_by_reason(
        [LeftOutEntry(1, SUMMARISED, 2), LeftOutEntry(4, SUMMARISED, 5), LeftOutEntry(6, SUMMARISED, 5)]
    )
    assert [(cause.by, cause.count) for cause in group.causes] == [(5, 2), (2, 1)]


def test_the_head_of_a_group_says_how_much_more_there_is() -> None:
    (group,) = group_by_reason(LeftOutEntry(3 * n, SUMMARISED, 100 + n // 4) for n in range(10))
    head = group.head(5)
    assert sum(len(cause.ranges) for cause in head.causes) == 5
    assert (head.more, head.count) == (5, 10)
    assert group.head(50).more == 0


def test_a_group_goes_on_from_any_of_its_ranges() -> None:
    (group,) = group_by_reason(LeftOutEntry(3 * n, SUMMARISED, 100 + n // 4) for n in range(10))
    ranges: list[EntryRange] = []
    for start in (0, 4, 8):
        head = group.head(4, start)
        ranges += [entry_range for cause in head.causes for entry_range in cause.ranges]
        assert (head.before, head.following, head.more) == (start, len(ranges), 10 - len(ranges))
    assert ranges == [entry_range for cause in group.causes for entry_range in cause.ranges]
    assert group.head(4, 99).causes == ()
