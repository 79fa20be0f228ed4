"""What other apps do after an import. They register a function by its name, because this app must not import them."""

from __future__ import annotations

from django.utils.module_loading import import_string

_names: list[str] = []


def after_import_register(name: str) -> None:
    if name not in _names:
        _names.append(name)


def after_import() -> None:
    for name in _names:
        import_string(name)()
