"""What a timeline shows of the records: cards, their parts and marks. Plain data; templates make the page of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from sessions.text.engine.diffs import Diff
from sessions.text.engine.prose import Html, render
from sessions.transcripts.engine.marks import Fate


class Kind(StrEnum):
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
    """Something that the client, a hook or another agent said."""
    BAR = "bar"
    """A compaction, a snip, a clearing: the whole width."""
    CHIPS = "chips"
    RAW = "raw"
    """A block or message that we do not know, as it stands."""


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown. An export keeps it as it was written; a page asks for what it says."""

    kind: ClassVar[str] = "prose"
    text: str

    @property
    def html(self) -> Html:
        return render(self.text)


@dataclass(frozen=True, slots=True)
class Plain:
    """Words as they were typed."""

    kind: ClassVar[str] = "plain"
    text: str


@dataclass(frozen=True, slots=True)
class Output:
    """Text of a machine. `tone` is "bad" for an error, "code" for what was run, "dim" for a remark of ours."""

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
    """pending, in_progress, completed, or whatever the record says."""

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
    """Named values: the input of a tool that has no card of its own."""

    kind: ClassVar[str] = "pairs"
    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    options: tuple[str, ...]
    answer: str
    """Empty when none is recorded."""


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
    """The `n`th image of the record at `address`; served by its own address, never inside the page."""

    address: str
    n: int
    media_type: str
    bytes: int
    size: tuple[int, int] | None = None
    """Width and height on the page, if the image tells."""


@dataclass(frozen=True, slots=True)
class Pictures:
    kind: ClassVar[str] = "pictures"
    items: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class Spill:
    """The whole output lies in a file of its own; the model got a preview."""

    kind: ClassVar[str] = "spill"
    name: str
    """Base name of the file."""
    size: str
    """As the record says it, or empty."""
    here: bool = True
    """False when the file is known to be gone."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Parts behind a line that opens them."""

    kind: ClassVar[str] = "fold"
    title: str
    parts: tuple[Part, ...]


Part = Prose | Plain | Output | Changes | Todos | Pairs | Questions | Links | Pictures | Spill | Fold


class Sight(StrEnum):
    """What a card is to the model at the point from which a timeline is looked at."""

    SEEN = "seen"
    UNSENT = "unsent"
    """For the client or the person only."""
    AHEAD = "ahead"


@dataclass(frozen=True, slots=True)
class Badge:
    """A fate with its mark and words, so that no meaning hangs on a colour alone."""

    fate: Fate | Sight
    symbol: str
    text: str
    by: int | None
    """Position of the record that decided it."""
    repeated: bool = False
    """The card before it says the same."""


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
    sight: str = ""
    """What it is to the model, where a timeline is looked at from a request."""


@dataclass(frozen=True, slots=True)
class Card:
    kind: Kind
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
    """Which of several cards of one record this is."""
    error: bool = False
    tone: str = ""
    """"bad", "warn", or "aside" for what nobody needs to read first."""
    size: int = 0
    """Bytes of the whole text."""
    cut: bool = False
    """The card shows less than the whole."""
    folded: bool = False
    """Only its first line shows until somebody opens it."""
    whole: bool = False
    """Built without the limits of a page; when it is cut all the same, only the raw record has the rest."""
    agent_id: str = ""
    """The sub-agent that this call started."""
    tool_use_id: str = ""
    message_id: str = ""
    """Of an answer: the request that it came from."""
    call: str = ""
    """Address of the call that a lone result belongs to."""
    spilled: str = ""
    """Base name of the file with the whole output."""

    @property
    def anchor(self) -> str:
        return f"e{self.position}-{self.nth}" if self.nth else f"e{self.position}"
