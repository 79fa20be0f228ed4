"""A recall as its page shows it: texts of files and sessions masked, sizes as parts of a bar."""

from __future__ import annotations

from dataclasses import dataclass

from memory.recall.engine import RANKER, SESSION_BYTES, Injection, KnownBy, RecallResult, ScannedFile
from sessions.secrets.engine import mask

FATES = {KnownBy.SURFACED: "injected before", KnownBy.READ: "read before"}


@dataclass(frozen=True, slots=True)
class Line:
    """A scanned file, and what became of it."""

    file: ScannedFile
    description: str
    fate: str
    """chosen, offered, or why it was dropped."""
    position: int | None = None
    """The entry that contained it."""

    @property
    def saved_ms(self) -> int:
        return int(self.file.saved.timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class ChosenLine:
    name: str
    why: str
    score: float | None
    width: float
    """Of its bar, in percent of the best."""


@dataclass(frozen=True, slots=True)
class Text:
    """An injected memory in parts that together make its text."""

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
    chosen = {memory.name for memory in choice.chosen}
    known = {dropped.file.name: dropped.known for dropped in prepared.dropped}
    lines = tuple(
        Line(file, mask(file.description), FATES[known[file.name].how], known[file.name].position)
        if file.name in known
        else Line(file, mask(file.description), "chosen" if file.name in chosen else "offered")
        for file in prepared.scan.files
    )
    best = max((memory.score or 0.0 for memory in choice.chosen), default=0.0) or 1.0
    before = _percent(prepared.state.injected)
    return RecallView(
        lines=lines,
        dropped=tuple(line for line in lines if line.file.name in known),
        manifest=mask(prepared.manifest),
        chosen=tuple(
            ChosenLine(item.name, mask(item.why), item.score, round(100 * (item.score or 0.0) / best, 1))
            for item in choice.chosen
        ),
        refused=tuple(mask(reason) for reason in choice.refused),
        local=choice.by == RANKER,
        texts=tuple(
            Text(item, mask(item.before), mask(item.body), mask(item.note), mask(item.after))
            for item in recalled.injected
        ),
        before_width=before,
        now_width=min(100 - before, _percent(recalled.bytes)),
        spent=f"{recalled.spent:,} of {SESSION_BYTES:,} bytes",
    )


def _percent(count: int) -> float:
    return round(min(100.0, 100 * count / SESSION_BYTES), 3)
