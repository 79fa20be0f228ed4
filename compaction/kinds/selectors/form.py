"""What the form of a compaction shows of a session: its turns, messages to cut at, and the forecast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.http import Http404

from compaction.kinds.engine import KindSpec, Parameters
from compaction.kinds.engine.choices import TurnChoice, pivot_near, pivot_of, turn_choices
from compaction.kinds.selectors import compactable_messages
from compaction.kinds.selectors.forecast import Forecast, forecast
from compaction.kinds.selectors.moment import Moment
from compaction.mechanisms.engine.compaction.boundary import Direction
from compaction.mechanisms.engine.partial.pivots import legal_pivots
from compaction.pins.selectors import pinned_uuids
from inspector.web.paging import Page, page_of
from sessions.context.engine import Context
from sessions.context.engine.left_out import LeftOutReason
from sessions.context.selectors.context_cache import cached_context
from sessions.context.selectors.contexts import ContextPoint, load_left_out_among, point_next
from sessions.models import Entry, Transcript
from sessions.secrets.engine import mask
from sessions.text.engine.excerpt import excerpt
from sessions.timeline.selectors.entries import find_entry
from sessions.transcripts.engine.entry_ids import POSITION_BITS
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.weights.engine import Weight, combine
from sessions.weights.engine.message_weights import MessageWeights
from sessions.weights.selectors import message_weights, weight_table

PER_PAGE = 30
WORDS = 160
ENOUGH = 5
"""So many inputs are choice enough; with fewer, every message at which a cut is possible is offered."""
SPOKEN = (MessageKind.PROMPT, MessageKind.ANSWER)
READ = 4_000
"""Characters of an input that are looked at: secrets are longer than what is shown."""

ABSENCE_REASONS = {
    LeftOutReason.SUMMARISED: "was summarised away",
    LeftOutReason.SNIPPED: "was snipped",
    LeftOutReason.CLEARED: "was cleared",
    LeftOutReason.COLLAPSED: "was collapsed into a summary",
    LeftOutReason.ABANDONED: "is on a branch that was abandoned",
    LeftOutReason.SIDECHAIN: "belongs to a sub-agent",
}
UNSENT = "is never sent to the model"


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """A turn to snip, or a message at which to cut."""

    uuid: str
    title: str
    address: str
    """The last part of its entry's permalink."""
    words: str
    weight: Weight
    """Of the turn, or of what would be summarised."""
    stays: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class PinnedRow:
    uuid: str
    title: str
    words: str


@dataclass(frozen=True, slots=True)
class CutPoint:
    """The cut for a named message, there or nearby, or the reason why there is none."""

    why: str = ""
    cut: str = ""
    """The uuid at which the conversation is cut; empty if it is not."""
    near: str = ""
    """Of a message that would do."""
    near_title: str = ""
    owner: Transcript | None = None
    """The sub-agent's or the session's, if the message belongs to another."""


class SessionSnapshot:
    """A transcript as it is now, or was at a given moment. Its context is made once, when first needed."""

    def __init__(self, transcript: Transcript, moment: Moment | None = None) -> None:
        self.transcript = transcript
        self.moment = moment

    @cached_property
    def point(self) -> ContextPoint:
        return self.moment.point if self.moment else point_next(self.transcript)

    @cached_property
    def context(self) -> Context:
        return cached_context(self.transcript, self.point)

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        return compactable_messages(self.context)

    @cached_property
    def turns(self) -> list[TurnChoice]:
        return turn_choices(self.messages, self.weights.message)

    @cached_property
    def pins(self) -> tuple[str, ...]:
        return pinned_uuids(self.transcript)

    @cached_property
    def weights(self) -> MessageWeights:
        return message_weights(self.context, weight_table(self.transcript))

    def forecast(
        self, kind: KindSpec, parameters: Parameters, *, asks_model: bool = False, shared: bool = False, now_ms: int
    ) -> Forecast:
        parameters = replace(parameters, pinned=(*parameters.pinned, *self.pins))
        return forecast(
            self.transcript, self.context, kind, parameters, asks_model=asks_model, shared=shared, now_ms=now_ms
        )

    # --- what stays -----------------------------------------------------------------------------------------------
    def pinned_rows(self) -> list[PinnedRow]:
        """In order of the session. A message that has left the context is only named."""
        in_context = {message.uuid: message for message in self.messages} if self.pins else {}
        rows = []
        for uuid in self.pins:
            message = in_context.get(uuid)
            if message is None:
                rows.append(PinnedRow(uuid, "Has left the context", uuid))
            else:
                rows.append(PinnedRow(uuid, _entry_title(message), _shorten(_words(message))))
        return rows

    # --- turns to snip --------------------------------------------------------------------------------------------
    def find_turns(self, ids: list[str]) -> tuple[list[str], list[str]]:
        """The turns of these messages, by the uuids of their inputs; and a sentence for each message without a turn, or
        whose turn cannot be removed."""
        owner = {uuid: turn for turn in self.turns for uuid in turn.messages}
        chosen: dict[str, TurnChoice] = {}
        problems = []
        for uuid in ids:
            turn = owner.get(uuid)
            if turn is None:
                problems.append(
                    self._explain_missing(uuid) or f"{self._title(uuid)} belongs to no turn: no input stands before it."
                )
            elif turn.stays:
                title = self._turn_titles([turn])[turn.uuid]
                problems.append(f"{title} stays: {turn.stays[:1].lower()}{turn.stays[1:]}")
            else:
                chosen[turn.uuid] = turn
        return list(chosen), problems

    def turn_page(self, chosen: list[str], number: int | None) -> tuple[Page, list[ChoiceRow]]:
        """Without a number, the page of the first chosen turn, or else the last page, with the latest turns."""
        first = next((number for number, turn in enumerate(self.turns, 1) if turn.uuid in chosen), len(self.turns))
        page = page_of(number or max(1, -(-first // PER_PAGE)), size=PER_PAGE, total=len(self.turns))
        turns = self.turns[page.start : page.stop]
        titles = self._turn_titles(turns)
        rows = [
            ChoiceRow(
                turn.uuid,
                titles[turn.uuid],
                _address(turn.uuid, turn.position),
                _shorten(turn.words),
                turn.weight,
                turn.stays,
                turn.uuid in chosen,
            )
            for turn in turns
        ]
        return page, rows

    def _turn_titles(self, turns: Sequence[TurnChoice]) -> dict[str, str]:
        """The titles of turns by the uuid of their inputs, with their numbers in the session."""
        base = self.transcript.pk << POSITION_BITS
        places = {turn.uuid: base | turn.position for turn in turns if turn.position is not None}
        numbers = dict(Entry.objects.filter(pk__in=places.values()).values_list("pk", "turn"))
        return {
            turn.uuid: f"Turn {numbers[places[turn.uuid]]}" if turn.uuid in places else "A turn that no entry holds"
            for turn in turns
        }

    # --- where to cut ---------------------------------------------------------------------------------------------
    def find_cut(self, uuid: str, direction: Direction) -> CutPoint:
        if not uuid:
            return CutPoint()
        messages = self.messages
        index = next((number for number, message in enumerate(messages) if message.uuid == uuid), None)
        if index is None:
            return self._find_elsewhere(uuid, direction)
        pivot = pivot_of(messages, uuid, direction, self.context.model)
        if not pivot.obstacle:
            return CutPoint(cut=uuid)
        if pivot.uuid:
            why = f"It is cut at {self._title(pivot.uuid)}, where more is kept."
            return CutPoint(f"{why} At {self._title(uuid)} {pivot.obstacle}.", pivot.uuid)
        near = pivot_near(messages, messages[index].position or 0, direction, self.context.model)
        return CutPoint(
            f"The conversation cannot be cut at {self._title(uuid)}: {pivot.obstacle}.",
            near=near,
            near_title=self._title(near) if near else "",
        )

    def cut_page(self, cut: str, direction: Direction, number: int | None) -> tuple[Page, list[ChoiceRow]]:
        """Inputs at which the conversation may be cut, or all messages if there are few; and the chosen one."""
        total = combine(map(self.weights.message, self.messages))
        places = self._places(cut, direction)
        first = next((index for index, (message, _) in enumerate(places, 1) if message.uuid == cut), len(places))
        page = page_of(number or max(1, -(-first // PER_PAGE)), size=PER_PAGE, total=len(places))
        rows = [
            ChoiceRow(
                message.uuid,
                _entry_title(message),
                _address(message.uuid, message.position),
                _shorten(self._answers.get(message.message_id) or _words(message)),
                before if direction is Direction.UP_TO else Weight(total.tokens - before.tokens, total.basis),
                "",
                message.uuid == cut,
            )
            for message, before in places[page.start : page.stop]
        ]
        return page, rows

    def _places(self, cut: str, direction: Direction) -> list[tuple[Message, Weight]]:
        """Possible cuts, each with the tokens before it. Messages that the client inserted are left out, because people
        do not look for them."""
        legal = frozenset(legal_pivots(self.messages, direction, self.context.model))
        places: list[tuple[Message, Weight]] = []
        before = combine(())
        for message in self.messages:
            if message.uuid == cut or (message.uuid in legal and message.kind in SPOKEN):
                places.append((message, before))
            before = combine((before, self.weights.message(message)))
        typed = [place for place in places if place[0].kind is MessageKind.PROMPT or place[0].uuid == cut]
        return typed if len(typed) >= ENOUGH else places

    @cached_property
    def _answers(self) -> dict[str, str]:
        """The words of whole answers, because their first record often contains only thinking."""
        words_by_answer: dict[str, list[str]] = {}
        for message in self.messages:
            if message.message_id:
                words_by_answer.setdefault(message.message_id, []).append(_words(message))
        return {message_id: " ".join(filter(None, words)) for message_id, words in words_by_answer.items()}

    # --- what is not there ----------------------------------------------------------------------------------------
    def _find_elsewhere(self, uuid: str, direction: Direction) -> CutPoint:
        try:
            owner, entry = find_entry(self.transcript, uuid)
        except Http404:
            return CutPoint(f"The session has no entry {uuid}.")
        if owner.pk != self.transcript.pk:
            return CutPoint(owner=owner)
        near = pivot_near(self.messages, entry.position, direction, self.context.model)
        return CutPoint(self._explain_absence(entry.position), near=near, near_title=self._title(near) if near else "")

    def _explain_missing(self, uuid: str) -> str:
        """Why a message is not in the context; empty if it is."""
        if any(message.uuid == uuid for message in self.messages):
            return ""
        try:
            owner, entry = find_entry(self.transcript, uuid)
        except Http404:
            return f"The session has no entry {uuid}."
        return (
            self._explain_absence(entry.position)
            if owner.pk == self.transcript.pk
            else f"{uuid} is of another transcript."
        )

    def _explain_absence(self, position: int) -> str:
        left_out = load_left_out_among(self.transcript, self.context, [position]).get(position)
        why = ABSENCE_REASONS.get(left_out.reason, UNSENT) if left_out is not None else UNSENT
        return f"Entry {position} is not in the context: it {why}."

    def _title(self, uuid: str) -> str:
        position = next((message.position for message in self.messages if message.uuid == uuid), None)
        return f"message {uuid}" if position is None else f"entry {position}"


def _address(uuid: str, position: int | None) -> str:
    return uuid if position is not None else ""


def _entry_title(message: Message) -> str:
    who = "You" if message.kind is MessageKind.PROMPT else message.role.capitalize()
    return who if message.position is None else f"{who}, {message.position}"


def _words(message: Message) -> str:
    """The words of a message, or the name of the tool for a call."""
    return " ".join(str(block.get("text") or block.get("name") or "") for block in message.content)


def _shorten(words: str) -> str:
    return excerpt(mask(" ".join(words[:READ].split())), WORDS)
