"""What other apps do when sessions have been imported. They say so by a name, because this app knows none of them."""

from __future__ import annotations

from django.utils.module_loading import import_string

_names: list[str] = []


def after_import_register(name: str) -> None:
    if name not in _names:
        _names.append(name)


def after_import() -> None:
    for name in _names:
        import_string(name)()
