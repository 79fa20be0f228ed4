"""What somebody wants of the notes of a session, or of its memories, as a form says it."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.http import QueryDict

from inspector.agents.choosing import CONFIGURED, MECHANICAL
from inspector.web.model_form import MODEL_NAME, NAMED, NO_NAME
from inspector.web.query import whole_number
from memory.notes.selectors.tab import EXTRACTION, NOTES

UNDO = "undo"
LONGEST_ADDRESS = 100


@dataclass(slots=True)
class NotesForm:
    what: str = NOTES
    writer: str = MECHANICAL
    model: str = ""
    into_agent: bool = False
    first: str = ""
    """Addresses of entries; empty for what came since the last look."""
    last: str = ""
    batch: int = 0
    """Of an update that is to be taken back."""
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def asks(self) -> bool:
        """A model is to be asked."""
        return self.what == EXTRACTION or self.writer != MECHANICAL

    @property
    def values(self) -> list[tuple[str, str]]:
        given = {"what": self.what, "writer": self.writer, "model": self.model, "first": self.first, "last": self.last}
        return [*given.items(), *([("into", "agent")] if self.into_agent else [])]


def form_of(given: QueryDict) -> NotesForm:
    form = NotesForm(
        what if (what := given.get("what", "")) in (EXTRACTION, UNDO) else NOTES,
        given.get("writer", "") if given.get("writer") in (CONFIGURED, NAMED) else MECHANICAL,
        given.get("model", "").strip()[:LONGEST_ADDRESS],
        given.get("into") == "agent",
        given.get("first", "").strip()[:LONGEST_ADDRESS],
        given.get("last", "").strip()[:LONGEST_ADDRESS],
    )
    form.batch = whole_number(given.get("batch", "")) or 0
    if form.what == EXTRACTION and form.writer == MECHANICAL:
        form.writer = CONFIGURED
    if form.asks and form.writer == NAMED and not MODEL_NAME.fullmatch(form.model):
        form.errors[f"{form.what}-model"] = NO_NAME
    return form
