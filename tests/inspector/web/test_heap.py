from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from inspector.web.heap import GROWTH, QUIET_GROWTH, Heap, resident


@pytest.fixture
def heap() -> Iterator[Heap]:
    gc.disable()
    yield Heap()
    gc.enable()
    gc.unfreeze()


def leave_ring(size: int) -> None:
    ring: list[object] = [bytearray(b"x") * size]
    ring.append(ring)


def test_what_only_rings_hold_is_given_back_to_the_system(heap: Heap) -> None:
    before = resident()
    assert before > 0
    leave_ring(2 * GROWTH)
    assert resident() > before + GROWTH
    assert heap.tidy()
    assert resident() < before + GROWTH


def test_little_growth_is_left_alone(heap: Heap) -> None:
    leave_ring(GROWTH // 8)
    assert not heap.tidy()


def test_what_is_still_in_use_is_not_looked_for_again_and_again(heap: Heap) -> None:
    used = bytearray(b"x") * (2 * GROWTH)
    assert heap.tidy()
    assert not heap.tidy()
    assert len(used) == 2 * GROWTH


def test_a_quiet_process_gives_back_small_growth_as_well(heap: Heap) -> None:
    leave_ring(GROWTH // 2)
    assert heap.tidy(QUIET_GROWTH)
