"""The form that starts an update of the notes or an extraction."""

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
    action: str = NOTES
    writer: str = MECHANICAL
    model: str = ""
    into_agent: bool = False
    first: str = ""
    """Address of an entry; empty: since the last extraction."""
    last: str = ""
    batch: int = 0
    """The update to undo."""
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def asks_model(self) -> bool:
        """Whether a model is asked."""
        return self.action == EXTRACTION or self.writer != MECHANICAL

    @property
    def values(self) -> list[tuple[str, str]]:
        row = {"what": self.action, "writer": self.writer, "model": self.model, "first": self.first, "last": self.last}
        return [*row.items(), *([("into", "agent")] if self.into_agent else [])]


def form_of(query: QueryDict) -> NotesForm:
    form = NotesForm(
        action if (action := query.get("what", "")) in (EXTRACTION, UNDO) else NOTES,
        query.get("writer", "") if query.get("writer") in (CONFIGURED, NAMED) else MECHANICAL,
        query.get("model", "").strip()[:LONGEST_ADDRESS],
        query.get("into") == "agent",
        query.get("first", "").strip()[:LONGEST_ADDRESS],
        query.get("last", "").strip()[:LONGEST_ADDRESS],
    )
    form.batch = whole_number(query.get("batch", "")) or 0
    if form.action == EXTRACTION and form.writer == MECHANICAL:
        form.writer = CONFIGURED
    if form.asks_model and form.writer == NAMED and not MODEL_NAME.fullmatch(form.model):
        form.errors[f"{form.action}-model"] = NO_NAME
    return form
