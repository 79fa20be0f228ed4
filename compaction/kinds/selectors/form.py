"""What the form of a compaction shows of a session: its turns, the message to cut at, and what would come of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.http import Http404

from compaction.kinds.engine import KindSpec, Parameters
from compaction.kinds.engine.choices import (
    TurnChoice,
    pivot_near,
    pivot_of,
    turn_choices,
)
from compaction.kinds.selectors import compactable
from compaction.kinds.selectors.forecast import Forecast, forecast
from compaction.mechanisms.engine.compaction.boundary import Direction
from compaction.mechanisms.engine.partial.pivots import legal_pivots
from inspector.web.paging import Page, page_of
from sessions.context.engine import Context
from sessions.context.engine.left_out import LeftOutReason
from sessions.context.selectors.context_cache import cached_context
from sessions.context.selectors.contexts import load_left_out_among, point_next
from sessions.models import Transcript
from sessions.secrets.engine import mask
from sessions.timeline.selectors.entries import find_entry
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.usage.engine.tokens import CountCache, estimate

PER_PAGE = 30
WORDS = 160
ENOUGH = 5
"""So many inputs are choice enough; with fewer, every message at which a cut is possible is offered."""
SPOKEN = (MessageKind.PROMPT, MessageKind.ANSWER)
READ = 4_000
"""Characters of an input that are looked at: secrets are longer than what is shown."""

GONE = {
    LeftOutReason.SUMMARISED: "was summarised away",
    LeftOutReason.SNIPPED: "was snipped",
    LeftOutReason.CLEARED: "was cleared",
    LeftOutReason.COLLAPSED: "was collapsed into a summary",
    LeftOutReason.ABANDONED: "is on a branch that was abandoned",
    LeftOutReason.SIDECHAIN: "belongs to a sub-agent",
}
UNSENT = "is never sent to the model"


@dataclass(frozen=True, slots=True)
class Row:
    """A turn to snip, or a message to cut at."""

    uuid: str
    title: str
    address: str
    """The last part of its entry's permalink."""
    words: str
    tokens: int
    """Of the turn, or of what would be summarised."""
    stays: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Sought:
    """A message that was named: where it is cut, or why it is not, and what could be meant instead."""

    why: str = ""
    cut: str = ""
    """The uuid at which the conversation is cut; empty if it is not."""
    near: str = ""
    """Of a message that would do."""
    near_title: str = ""
    owner: Transcript | None = None
    """The sub-agent's or the session's, if the message belongs to another."""


class Situation:
    """A transcript as it is now. Its context is worked out when it is first needed, and once."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self._counter = CountCache()

    @cached_property
    def context(self) -> Context:
        return cached_context(self.transcript, point_next(self.transcript))

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        return compactable(self.context)

    @cached_property
    def turns(self) -> list[TurnChoice]:
        return turn_choices(self.messages, self._counter)

    def forecast(
        self, kind: KindSpec, parameters: Parameters, *, asking: bool = False, shared: bool = False, now_ms: int
    ) -> Forecast:
        return forecast(self.transcript, self.context, kind, parameters, asking=asking, shared=shared, now_ms=now_ms)

    # --- turns to snip --------------------------------------------------------------------------------------------
    def turns_named(self, ids: list[str]) -> tuple[list[str], list[str]]:
        """The turns that these messages belong to, by the uuids of their inputs; and a sentence for each that is of
        none, or of one that cannot go."""
        owner = {uuid: turn for turn in self.turns for uuid in turn.messages}
        found: dict[str, TurnChoice] = {}
        told = []
        for one in ids:
            turn = owner.get(one)
            if turn is None:
                told.append(self._missing(one) or f"{self._title(one)} belongs to no turn: no input stands before it.")
            elif turn.stays:
                told.append(f"Turn {turn.number} stays: {turn.stays[:1].lower()}{turn.stays[1:]}")
            else:
                found[turn.uuid] = turn
        return list(found), told

    def turn_page(self, chosen: list[str], number: int | None) -> tuple[Page, list[Row]]:
        """Without a number, the page of the first that is chosen, or else the last page: the latest turns."""
        first = next((turn.number for turn in self.turns if turn.uuid in chosen), len(self.turns))
        page = page_of(number or max(1, -(-first // PER_PAGE)), size=PER_PAGE, total=len(self.turns))
        rows = [
            Row(
                turn.uuid,
                f"Turn {turn.number}",
                _address(turn.uuid, turn.position),
                _short(turn.words),
                turn.tokens,
                turn.stays,
                turn.uuid in chosen,
            )
            for turn in self.turns[page.start : page.stop]
        ]
        return page, rows

    # --- where to cut ---------------------------------------------------------------------------------------------
    def sought(self, wanted: str, direction: Direction) -> Sought:
        if not wanted:
            return Sought()
        messages = self.messages
        place = next((at for at, message in enumerate(messages) if message.uuid == wanted), None)
        if place is None:
            return self._elsewhere(wanted, direction)
        pivot = pivot_of(messages, wanted, direction, self.context.model)
        if not pivot.obstacle:
            return Sought(cut=wanted)
        if pivot.uuid:
            why = f"It is cut at {self._title(pivot.uuid)}, where more is kept."
            return Sought(f"{why} At {self._title(wanted)} {pivot.obstacle}.", pivot.uuid)
        near = pivot_near(messages, messages[place].position or 0, direction, self.context.model)
        return Sought(
            f"The conversation cannot be cut at {self._title(wanted)}: {pivot.obstacle}.",
            near=near,
            near_title=self._title(near) if near else "",
        )

    def cut_page(self, cut: str, direction: Direction, number: int | None) -> tuple[Page, list[Row]]:
        """Inputs at which the conversation may be cut, or everything where there are few; and what was chosen."""
        total = estimate(self.messages, self._counter)
        places = self._places(cut, direction)
        first = next((at for at, (message, _) in enumerate(places, 1) if message.uuid == cut), len(places))
        page = page_of(number or max(1, -(-first // PER_PAGE)), size=PER_PAGE, total=len(places))
        rows = [
            Row(
                message.uuid,
                _entry(message),
                _address(message.uuid, message.position),
                _short(self._answers.get(message.message_id) or _words(message)),
                before if direction is Direction.UP_TO else total - before,
                "",
                message.uuid == cut,
            )
            for message, before in places[page.start : page.stop]
        ]
        return page, rows

    def _places(self, cut: str, direction: Direction) -> list[tuple[Message, int]]:
        """Each with the tokens of what stands before it. What the client put in is no place that people look for."""
        legal = frozenset(legal_pivots(self.messages, direction, self.context.model))
        found: list[tuple[Message, int]] = []
        before = 0
        for message in self.messages:
            if message.uuid == cut or (message.uuid in legal and message.kind in SPOKEN):
                found.append((message, before))
            before += self._counter(message.content)
        typed = [one for one in found if one[0].kind is MessageKind.PROMPT or one[0].uuid == cut]
        return typed if len(typed) >= ENOUGH else found

    @cached_property
    def _answers(self) -> dict[str, str]:
        """The words of whole answers: their first record often only thinks."""
        said: dict[str, list[str]] = {}
        for message in self.messages:
            if message.message_id:
                said.setdefault(message.message_id, []).append(_words(message))
        return {message_id: " ".join(filter(None, words)) for message_id, words in said.items()}

    # --- what is not there ----------------------------------------------------------------------------------------
    def _elsewhere(self, wanted: str, direction: Direction) -> Sought:
        try:
            owner, entry = find_entry(self.transcript, wanted)
        except Http404:
            return Sought(f"The session has no entry {wanted}.")
        if owner.pk != self.transcript.pk:
            return Sought(owner=owner)
        near = pivot_near(self.messages, entry.position, direction, self.context.model)
        return Sought(self._gone(entry.position), near=near, near_title=self._title(near) if near else "")

    def _missing(self, wanted: str) -> str:
        """Why it is not in the context; empty if it is."""
        if any(message.uuid == wanted for message in self.messages):
            return ""
        try:
            owner, entry = find_entry(self.transcript, wanted)
        except Http404:
            return f"The session has no entry {wanted}."
        return self._gone(entry.position) if owner.pk == self.transcript.pk else f"{wanted} is of another transcript."

    def _gone(self, position: int) -> str:
        found = load_left_out_among(self.transcript, self.context, [position]).get(position)
        why = GONE.get(found.reason, UNSENT) if found is not None else UNSENT
        return f"Entry {position} is not in the context: it {why}."

    def _title(self, uuid: str) -> str:
        position = next((message.position for message in self.messages if message.uuid == uuid), None)
        return f"message {uuid}" if position is None else f"entry {position}"


def _address(uuid: str, position: int | None) -> str:
    return uuid if position is not None else ""


def _entry(message: Message) -> str:
    who = "You" if message.kind is MessageKind.PROMPT else message.role.capitalize()
    return who if message.position is None else f"{who}, {message.position}"


def _words(message: Message) -> str:
    """What it says; of a call, the name of the tool."""
    return " ".join(str(block.get("text") or block.get("name") or "") for block in message.content)


def _short(words: str) -> str:
    line = mask(" ".join(words[:READ].split()))
    return line if len(line) <= WORDS else f"{line[: WORDS - 1]}…"
