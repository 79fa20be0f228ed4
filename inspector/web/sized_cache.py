"""A cache for what pages make repeatedly from the same values, such as the card of a record. The key is all values that
the result depends on, so it is never out of date. Results that were not used lately are dropped."""

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


class SizedCache(Generic[V]):
    def __init__(self, most: int, size: Callable[[V], int]) -> None:
        """`most`: the limit for the sum of all sizes, per process."""
        self._most = most
        self._size_of = size
        self._entries: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        return self._size

    def get(self, values: Hashable, make: Callable[[], V]) -> V:
        """`make` may use only the values, and what never changes while the process runs."""
        value = self.find(values)
        if value is None:
            value = make()
            self.put(values, value)
        return value

    def find(self, values: Hashable) -> V | None:
        with self._lock:
            if values not in self._entries:
                return None
            self._entries.move_to_end(values)
            return self._entries[values][0]

    def put(self, values: Hashable, value: V) -> None:
        """Replaces the result for the same values."""
        size = self._size_of(value)
        if size > self._most:
            return
        with self._lock:
            if values in self._entries:
                self._size -= self._entries.pop(values)[1]
            self._entries[values] = value, size
            self._size += size
            while self._size > self._most:
                self._size -= self._entries.popitem(last=False)[1][1]


fragments: SizedCache[str] = SizedCache(4_000_000, len)
"""HTML, in characters. The keys take about as much again."""


def fragment(name: str, **values: Hashable) -> str:
    """Renders a template that sees only these values."""
    return fragments.get((name, *values.items()), lambda: template_named(name).render(Context(values)))


@lru_cache
def template_named(name: str) -> Template:
    return Engine.get_default().get_template(name)
