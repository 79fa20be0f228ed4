"""Cards, their parts and badges: plain data, which templates turn into the page."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from sessions.text.engine.diffs import Diff
from sessions.text.engine.prose import Html, render
from sessions.transcripts.engine.marks import Fate


class CardKind(StrEnum):
    USER = "user"
    COMMAND = "command"
    """A slash command or a shell line typed at the prompt, with its output."""
    ASSISTANT = "assistant"
    THINKING = "thinking"
    TOOL = "tool"
    """A call together with its result."""
    RESULT = "result"
    """A result whose call is not in the window."""
    NOTE = "note"
    """A message of the client, a hook or another agent."""
    BAR = "bar"
    """A compaction, snip or clearing, across the whole width."""
    CHIPS = "chips"
    RAW = "raw"
    """An unknown block or message, shown as it is."""


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown. Exports keep the source, pages show the HTML."""

    kind: ClassVar[str] = "prose"
    text: str

    @property
    def html(self) -> Html:
        return render(self.text)


@dataclass(frozen=True, slots=True)
class Plain:
    """Text as it was typed."""

    kind: ClassVar[str] = "plain"
    text: str


@dataclass(frozen=True, slots=True)
class Output:
    """Text from a program. `tone`: "bad" for an error, "code" for a command, "dim" for a remark by Lucid."""

    kind: ClassVar[str] = "output"
    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Changes:
    kind: ClassVar[str] = "changes"
    diff: Diff


@dataclass(frozen=True, slots=True)
class Todo:
    text: str
    state: str
    """pending, in_progress, completed, or another word of the record."""

    @property
    def mark(self) -> str:
        return {"completed": "☑", "in_progress": "◐", "pending": "☐"}.get(self.state, "·")


@dataclass(frozen=True, slots=True)
class Todos:
    kind: ClassVar[str] = "todos"
    items: tuple[Todo, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Pairs:
    """Named values: the input of a tool without a description of its own."""

    kind: ClassVar[str] = "pairs"
    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    options: tuple[str, ...]
    answer: str
    """Empty if none is recorded."""


@dataclass(frozen=True, slots=True)
class Questions:
    kind: ClassVar[str] = "questions"
    items: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Link:
    title: str
    url: str
    """Empty unless it is http or https."""


@dataclass(frozen=True, slots=True)
class Links:
    kind: ClassVar[str] = "links"
    items: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """The `n`th image of the record at `address`. It has its own URL and is never embedded in the page."""

    address: str
    n: int
    media_type: str
    bytes: int
    size: tuple[int, int] | None = None
    """Width and height on the page, if the image file states them."""


@dataclass(frozen=True, slots=True)
class Pictures:
    kind: ClassVar[str] = "pictures"
    items: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class Spill:
    """Output that was written to a file; the model got a preview."""

    kind: ClassVar[str] = "spill"
    name: str
    """Base name of the file."""
    size: str
    """As recorded, or empty."""
    is_available: bool = True
    """False if the file is known to be missing."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Parts under a title that unfolds them."""

    kind: ClassVar[str] = "fold"
    title: str
    parts: tuple[Part, ...]


Part = Prose | Plain | Output | Changes | Todos | Pairs | Questions | Links | Pictures | Spill | Fold


class Visibility(StrEnum):
    """Whether the model saw a card in the request from which a timeline is viewed."""

    SEEN = "seen"
    UNSENT = "unsent"
    """Meant for the client or the person only."""
    AHEAD = "ahead"


@dataclass(frozen=True, slots=True)
class Badge:
    """A fate as a symbol and words, because colour alone is not enough."""

    fate: Fate | Visibility
    symbol: str
    text: str
    by: int | None
    """Position of the record that caused it."""
    repeated: bool = False
    """The card above has the same badge."""


@dataclass(frozen=True, slots=True)
class Chip:
    label: str
    detail: str
    position: int
    address: str
    tone: str = ""
    """"bad" or "warn"; empty for the ordinary."""
    count: int = 1
    parts: tuple[Part, ...] = ()
    visibility: str = ""
    """A `Visibility`, if the timeline is viewed from a request."""


@dataclass(frozen=True, slots=True)
class Card:
    kind: CardKind
    position: int
    address: str
    at: int | None
    turn: int
    title: str
    summary: str = ""
    facts: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    chips: tuple[Chip, ...] = ()
    marks: tuple[Badge, ...] = ()
    rows: tuple[int, ...] = ()
    """Positions of the records that this card covers, its own first."""
    nth: int = 0
    """Counts the cards of one record, from 0."""
    error: bool = False
    tone: str = ""
    """"bad", "warn", or "aside" for what nobody needs to read first."""
    size: int = 0
    """Bytes of the whole text."""
    cut: bool = False
    """The card shows less than the whole."""
    folded: bool = False
    """Only the first line is visible until the card is opened."""
    whole: bool = False
    """Built without the limits of a page. If it is cut nevertheless, only the raw record has the rest."""
    agent_id: str = ""
    """The sub-agent that this call started."""
    tool_use_id: str = ""
    message_id: str = ""
    """Of an answer: the id of the API message, which leads to the request."""
    call_address: str = ""
    """Of a result without its call: the address of the call."""

    @property
    def anchor(self) -> str:
        return f"e{self.position}-{self.nth}" if self.nth else f"e{self.position}"
