from __future__ import annotations

from compaction.cache.engine.costs.cache_summary import Loss, cause_title, describe_cache, format_percent

TOTALS = {"read": 800, "written": 150, "fresh": 50, "hit_rate": 0.8, "cost": 1.0, "cost_without": 3.5}


def test_one_break_is_told_with_its_cause() -> None:
    sentence = describe_cache(TOTALS, [Loss("tools_changed", 62_000, 0.3)])
    assert sentence == (
        "The cache of this session broke once unexpectedly, which cost $0.30: 62.0k tokens were sent again. The cause:"
        " tools changed."
    )


def test_of_several_causes_the_dearest_is_named() -> None:
    sentence = describe_cache(TOTALS, [Loss("ttl_expired_5m", 9_000, 0.5, 4), Loss("model_changed", 5_000, 0.2, 2)])
    assert "broke 6 times unexpectedly, which cost $0.70: 14.0k tokens" in sentence
    assert sentence.endswith("What cost most: 5-minute lifetime expired (4 times, $0.50).")


def test_a_sum_without_all_prices_is_the_least_that_it_can_be() -> None:
    assert "which cost at least $0.50:" in describe_cache(TOTALS, [Loss("model_changed", 9_000, 0.5, 2, unpriced=1)])
    assert "which cost an unknown sum" in describe_cache(TOTALS, [Loss("model_changed", 9_000, None, 1, unpriced=1)])


def test_a_cache_that_held_says_what_it_saved() -> None:
    assert describe_cache(TOTALS, []) == (
        "The cache of this session never broke unexpectedly: 80% of all prompt tokens were read from it, which saved"
        " $2.50."
    )
    assert describe_cache({"read": 1, "hit_rate": 0.5, "cost": None, "cost_without": None}, []).endswith(
        "were read from it."
    )


def test_what_expected_drops_sent_again_is_not_kept_quiet() -> None:
    wasted = {**TOTALS, "wasted": 43_800, "wasted_cost": 0.21}
    assert describe_cache(wasted, []).endswith(" Drops that were to be expected sent 43.8k tokens again for $0.21.")
    all_of_it = describe_cache(wasted, [Loss("model_changed", 43_800, 0.21)])
    assert "to be expected" not in all_of_it


def test_without_a_count_nothing_is_claimed() -> None:
    assert "nothing can be said" in describe_cache({}, [])


def test_shares_near_the_ends_are_not_rounded_to_them() -> None:
    assert [format_percent(value) for value in (None, 0.0, 0.004, 0.5, 0.996, 1.0)] == [
        "unknown",
        "0%",
        "0.4%",
        "50%",
        "99.6%",
        "100%",
    ]


def test_a_name_that_has_no_title_is_read_as_words() -> None:
    assert cause_title("something_new") == "something new"
