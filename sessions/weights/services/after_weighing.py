"""What other apps do after a transcript was measured. They register a function by its name, because this app must not
import them."""

from __future__ import annotations

from django.utils.module_loading import import_string

from sessions.models import Transcript

_names: list[str] = []


def after_weighing_register(name: str) -> None:
    if name not in _names:
        _names.append(name)


def after_weighing(transcript: Transcript) -> None:
    for name in _names:
        import_string(name)(transcript)
