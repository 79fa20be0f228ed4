from __future__ import annotations

import gc

from inspector.web.object_cache import ObjectCache


class Owner:
    pass


def test_a_result_is_made_once_for_an_object_and_its_values() -> None:
    cache: ObjectCache[list[int]] = ObjectCache()
    owner = Owner()
    first = cache.get(owner, 1, lambda: [1])
    assert cache.get(owner, 1, lambda: [2]) is first
    assert cache.get(owner, 2, lambda: [3]) == [3]
    assert cache.get(owner, 1, lambda: [4]) == [4], "only the latest result is kept"


def test_a_result_lasts_as_long_as_its_object() -> None:
    cache: ObjectCache[Owner] = ObjectCache()
    owner = Owner()
    cache.get(owner, None, Owner)
    del owner
    gc.collect()
    assert not cache._results


def test_a_new_object_at_the_same_address_gets_its_own_result() -> None:
    cache: ObjectCache[str] = ObjectCache()
    owners = [Owner() for _ in range(50)]
    for owner in owners:
        cache.get(owner, None, lambda: "old")
    del owner, owners
    fresh = [Owner() for _ in range(50)]
    assert {cache.get(owner, None, lambda: "new") for owner in fresh} == {"new"}
