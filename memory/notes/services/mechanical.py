"""Notes without a model, made from the records. The compaction app registers the function by its name, because this app
must not import it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.module_loading import import_string

if TYPE_CHECKING:  # every process registers the function, but few take notes
    from sessions.transcripts.engine.messages import Message

_name = ""


def mechanical_notes_register(name: str) -> None:
    global _name
    _name = name


def mechanical_notes(messages: Sequence[Message]) -> dict[str, str]:
    """The content of each section by its title."""
    sections: dict[str, str] = import_string(_name)(messages)
    return sections
