"""A recall as its page shows it: what comes from files and sessions masked, sizes as parts of a bar."""

from __future__ import annotations

from dataclasses import dataclass

from memory.recall.engine import (
    RANKER,
    SESSION_BYTES,
    Injection,
    KnownBy,
    RecallResult,
    ScannedFile,
)
from sessions.secrets.engine import mask

FATES = {KnownBy.SURFACED: "injected before", KnownBy.READ: "read before"}


@dataclass(frozen=True, slots=True)
class Line:
    """A file that was scanned, and what became of it."""

    file: ScannedFile
    description: str
    fate: str
    """chosen, offered, or why it was dropped."""
    position: int | None = None
    """The entry that had it."""

    @property
    def saved_ms(self) -> int:
        return int(self.file.saved.timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class ChosenLine:
    name: str
    why: str
    score: float | None
    width: float
    """Of its bar, in percent of the best one's."""


@dataclass(frozen=True, slots=True)
class Text:
    """An injected memory in its parts, which make its text if put together."""

    of: Injection
    before: str
    body: str
    note: str
    after: str


@dataclass(frozen=True, slots=True)
class RecallView:
    lines: tuple[Line, ...]
    dropped: tuple[Line, ...]
    manifest: str
    chosen: tuple[ChosenLine, ...]
    refused: tuple[str, ...]
    local: bool
    texts: tuple[Text, ...]
    before_width: float
    now_width: float
    spent: str


def recall_view(recalled: RecallResult) -> RecallView:
    prepared, choice = recalled.prepared, recalled.choice
    chosen = {one.name for one in choice.chosen}
    known = {one.file.name: one.known for one in prepared.dropped}
    lines = tuple(
        Line(file, mask(file.description), FATES[known[file.name].how], known[file.name].position)
        if file.name in known
        else Line(file, mask(file.description), "chosen" if file.name in chosen else "offered")
        for file in prepared.scan.files
    )
    best = max((one.score or 0.0 for one in choice.chosen), default=0.0)
    before = _percent(prepared.state.injected)
    return RecallView(
        lines=lines,
        dropped=tuple(line for line in lines if line.file.name in known),
        manifest=mask(prepared.manifest),
        chosen=tuple(
            ChosenLine(one.name, mask(one.why), one.score, round(100 * (one.score or 0.0) / best, 1) if best else 0.0)
            for one in choice.chosen
        ),
        refused=tuple(mask(one) for one in choice.refused),
        local=choice.by == RANKER,
        texts=tuple(
            Text(one, mask(one.before), mask(one.body), mask(one.note), mask(one.after)) for one in recalled.injected
        ),
        before_width=before,
        now_width=min(100 - before, _percent(recalled.bytes)),
        spent=f"{recalled.spent:,} of {SESSION_BYTES:,} bytes",
    )


def _percent(count: int) -> float:
    return round(min(100.0, 100 * count / SESSION_BYTES), 3)
