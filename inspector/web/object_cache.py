"""A cache for what is made of an object that is itself kept between pages, such as a context. It lasts as long as the
object."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class ObjectCache(Generic[V]):
    """Keeps the latest result for each object."""

    def __init__(self) -> None:
        self._results: dict[int, tuple[weakref.ref[Any], Hashable, V]] = {}

    def get(self, owner: object, values: Hashable, make: Callable[[], V]) -> V:
        """`make` may use only the object, which must not change, and the values."""
        name = id(owner)
        result = self._results.get(name)
        if result is not None and result[0]() is owner and result[1] == values:
            return result[2]
        made = make()
        self._results[name] = weakref.ref(owner, lambda _: self._results.pop(name, None)), values, made
        return made
