"""What pages make again and again of the same values, such as the card of a record, which does not change any more. It
is kept under all the values that it is made of, so that it cannot be out of date, and only the latest of it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Generic, TypeVar

from django.template.base import Template
from django.template.context import Context
from django.template.engine import Engine

V = TypeVar("V")


class Kept(Generic[V]):
    def __init__(self, most: int, size: Callable[[V], int]) -> None:
        """`most`: of the sizes of all that is kept, in one process."""
        self._most = most
        self._size_of = size
        self._kept: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        return self._size

    def get(self, values: Hashable, make: Callable[[], V]) -> V:
        """`make` may use the values and what never changes while the process runs, and nothing else."""
        made = self.find(values)
        if made is None:
            made = make()
            self.put(values, made)
        return made

    def find(self, values: Hashable) -> V | None:
        with self._lock:
            if values not in self._kept:
                return None
            self._kept.move_to_end(values)
            return self._kept[values][0]

    def put(self, values: Hashable, made: V) -> None:
        """In place of what was kept under the same values."""
        size = self._size_of(made)
        if size > self._most:
            return
        with self._lock:
            if values in self._kept:
                self._size -= self._kept.pop(values)[1]
            self._kept[values] = made, size
            self._size += size
            while self._size > self._most:
                self._size -= self._kept.popitem(last=False)[1][1]


fragments: Kept[str] = Kept(4_000_000, len)
"""HTML, in characters. The values that a piece is kept under take about as much again."""


def fragment(name: str, **values: Hashable) -> str:
    """A template that sees these values and nothing else of its page."""
    return fragments.get((name, *values.items()), lambda: template_named(name).render(Context(values)))


@lru_cache
def template_named(name: str) -> Template:
    return Engine.get_default().get_template(name)
