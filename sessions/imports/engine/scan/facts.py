"""What the scanner knows about a transcript so far: counts, names, the ruler. It is kept as JSON from one import to the
next."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

RULER_POINTS = 480
RULER_ERRORS = 160
NAMES = 40


@dataclass(slots=True)
class Ruler:
    """The context size over the session, thinned to a few hundred points."""

    points: list[list[int]] = field(default_factory=list)
    """[position, tokens of the request answered there], the largest of each bucket."""
    stride: int = 1
    pending: list[int] = field(default_factory=list)
    """[position, tokens, requests so far] of the bucket being filled."""
    boundaries: list[int] = field(default_factory=list)
    errors: list[int] = field(default_factory=list)

    def add(self, position: int, tokens: int) -> None:
        if not self.pending:
            self.pending = [position, tokens, 1]
        else:
            self.pending = [self.pending[0], max(self.pending[1], tokens), self.pending[2] + 1]
        if self.pending[2] >= self.stride:
            self.points.append(self.pending[:2])
            self.pending = []
        if len(self.points) > RULER_POINTS:
            self.points = [max(self.points[i : i + 2], key=lambda p: p[1]) for i in range(0, len(self.points), 2)]
            self.stride *= 2

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _RULER}

    def add_error(self, position: int) -> None:
        self.errors.append(position)
        if len(self.errors) > RULER_ERRORS:
            self.errors = self.errors[::2]


@dataclass(slots=True)
class OpenTurn:
    number: int = 0
    first: int = 0
    last: int = 0
    started: int | None = None
    ended: int | None = None
    calls: int = 0
    errors: int = 0


@dataclass(slots=True)
class Facts:
    session_id: str = ""
    agent_id: str = ""
    title: str = ""
    title_rank: int = 0
    """Which record gave the title: a summary, the client, or a person; the higher stays."""
    first_prompt: str = ""
    cwd: str = ""
    branch: str = ""
    version: str = ""
    model_names: list[str] = field(default_factory=list)
    branches: list[str] = field(default_factory=list)
    continued_in: str = ""
    first_at: int | None = None
    last_at: int | None = None
    lines: int = 0
    blank: int = 0
    """Lines with nothing in them. They count only where a line is named by its number."""
    entries: int = 0
    bad_lines: int = 0
    recovered: int = 0
    typed: int = 0
    calls: int = 0
    errors: int = 0
    compactions: int = 0
    summary_due: bool = False
    """A boundary was read, and the summary that belongs to it was not yet."""
    peak_context: int = 0
    partial: bool = False
    """The last line was cut when last read; it is counted among the bad ones until it is whole."""
    turn: OpenTurn = field(default_factory=OpenTurn)
    ruler: Ruler = field(default_factory=Ruler)
    open_calls: list[int] = field(default_factory=list)
    last_message: str = ""

    def to_json(self) -> dict[str, Any]:
        """Without the ruler, which is stored separately because pages show it."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        return {**plain, "turn": asdict(self.turn)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Facts:
        facts = cls(**{name: data[name] for name in _PLAIN if name in data})
        facts.turn = OpenTurn(**data.get("turn", {}))
        facts.ruler = Ruler(**data.get("ruler", {}))
        return facts

    def note_model(self, name: str) -> None:
        if name not in self.model_names and len(self.model_names) < NAMES:
            self.model_names.append(name[:120])

    def note_branch(self, name: str) -> None:
        self.branch = name
        if name not in self.branches and len(self.branches) < NAMES:
            self.branches.append(name[:200])

    def note_identity(self, cwd: str | None, session_id: str | None, agent_id: str | None) -> None:
        """Fills in what the name of the file does not say."""
        self.cwd = self.cwd or (cwd or "")[:1000]
        self.session_id = self.session_id or (session_id or "")[:200]
        self.agent_id = self.agent_id or (agent_id or "")[:200]

    def note_context(self, position: int, tokens: int, message_id: str) -> None:
        self.ruler.add(position, tokens)
        self.peak_context = max(self.peak_context, tokens)
        self.last_message = message_id

    def note_title(self, rank: int, title: str) -> None:
        if title and rank >= self.title_rank:
            self.title, self.title_rank = title[:500], rank


_PLAIN = tuple(item.name for item in fields(Facts) if item.name not in ("turn", "ruler"))
_RULER = tuple(item.name for item in fields(Ruler))
