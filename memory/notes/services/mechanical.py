"""Notes without a model: put together from the record. The compaction app knows how, and says so by a name, because
this app knows nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.utils.module_loading import import_string

from sessions.transcripts.engine.messages import Message

NotesWriter = Callable[[Sequence[Message]], dict[str, str]]
"""From messages to the content of each section by its title."""

_name = ""


def mechanical_notes_register(name: str) -> None:
    global _name
    _name = name


def mechanical_notes(messages: Sequence[Message]) -> dict[str, str]:
    writer: NotesWriter = import_string(_name)
    return writer(messages)
