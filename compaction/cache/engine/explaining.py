"""Why the cache dropped. Only the earliest difference in the order of the key explains a drop, and only if what was
still read ends before it; what else changed is told beside it.

What the client did on purpose is expected: a compaction, a clearing, a rewind that read all it could. So is a mark that
the API could not find because too many blocks came at once, although that wastes tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compaction.cache.engine.calls import (
    LIMITS,
    Call,
    Drop,
    Limits,
)
from compaction.cache.engine.changes import (
    Change,
    Rank,
    changes,
    comparable,
)
from compaction.cache.engine.evidence import (
    CLEARED,
    FOLDED,
    HINTS,
    Evidence,
    alike,
)
from compaction.cache.engine.lifetime import Lifetime, lifetime_of
from compaction.cache.engine.lookback import blocks_since, out_of_sight
from compaction.cache.engine.names import Name
from compaction.cache.engine.prompt import Weights, prompt_of
from compaction.cache.engine.verdict import (
    HIGH,
    LOW,
    MEDIUM,
    RECONSTRUCTED,
    RECORDED,
    Break,
    Cause,
)
from compaction.cache.engine.waste import waste_of
from sessions.text.engine.words import duration, plural

_MOST_CHARACTERS = 8
"""Of a token: what is new has at least so many tokens."""


def compacted(drop: Drop, boundary: int) -> Break:
    """The conversation was replaced by a summary in between: the two requests have little in common on purpose."""
    told = "The conversation was compacted in between, so the messages after the system prompt are new."
    return Break(drop, (Cause(Name.COMPACTION, HIGH, told, (boundary,)),), expected=told, waste=waste_of(drop.call, 0))


def explain(drop: Drop, evidence: Evidence, calls: Sequence[Call] = (), limits: Limits = LIMITS) -> Break:
    """`calls`: those of the source up to the previous one, in order; they tell how long the cache lives."""
    case = _Case(drop, evidence, calls, limits)
    found = case.judge()
    diagnosis = evidence.answer.diagnosis
    if diagnosis is not None:
        found = replace(found, server=diagnosis.to_json(), agrees=diagnosis.agrees({one.name for one in found.causes}))
        if found.causes[0].name == Name.UNKNOWN and diagnosis.name is not None:
            said = f"The API's own diagnosis says so ({diagnosis.reason}); no record here shows it."
            at = (diagnosis.position,) if diagnosis.position is not None else ()
            found = replace(found, causes=(Cause(diagnosis.name, HIGH, said, at),), agrees=None)
    return found


class _Case:
    def __init__(self, drop: Drop, evidence: Evidence, calls: Sequence[Call], limits: Limits) -> None:
        self.drop, self.evidence, self.limits = drop, evidence, limits
        before, answer = evidence.before, evidence.answer
        previous, current = alike(evidence.previous, evidence.current)
        self.previous = prompt_of(previous, effort=before.effort, speed=before.speed)
        self.current = prompt_of(current, effort=answer.effort, speed=answer.speed)
        self.weights = Weights(self.current, drop.call.prompt)
        self.changes = changes(self.previous, self.current)
        self.reverted = self._reverted()
        self.messages = next((one for one in self.changes if one.rank is Rank.MESSAGES), None)
        self.lifetime: Lifetime = lifetime_of(self.previous.marks, [*calls, drop.previous])
        self.ttl = self.lifetime.expired(drop.gap, limits)
        self.comparable = comparable(self.previous, self.current)
        self.exact = self.previous.exact and self.current.exact

    def judge(self) -> Break:
        change = self._earliest()
        if change is not None and change.rank is Rank.MESSAGES:
            found = self._on_purpose(change) or self._changed(change)
        elif change is not None:
            found = self._changed(change)
        else:
            found = self._cleared() or self._same()
        return self._finished(found)

    def _earliest(self) -> Change | None:
        """The first change that what was read does not reach beyond."""
        for change in self.changes:
            if change.rank >= Rank.HINT:
                return None
            message = change.rewriting.message if change.rewriting is not None else 0
            known = change.rank is Rank.MODEL or change.name in self.reverted
            if known or not self._read_beyond(message):
                return change
        return None

    def _reverted(self) -> set[str]:
        """What is again as it was in the request whose cache was read: that it was otherwise in between is why no more
        was read, however much that is."""
        earlier = self.evidence.returned_to
        if earlier is None:
            return set()
        then, now = (prompt_of(one) for one in alike(earlier, self.evidence.current))
        if not then.sent_whole or not now.sent_whole:
            return set()
        return {one.name for one in self.changes} - {one.name for one in changes(then, now)}

    def _changed(self, change: Change) -> Break:
        cause = _cause(change, HIGH if change.told and (change.rank < Rank.MESSAGES or self.exact) else MEDIUM)
        if (change.rank is Rank.MESSAGES or not change.told) and self._head_lost():
            # A change among the messages leaves the system prompt readable: that it was not read has another reason.
            found = self._same()
            return replace(found, also=(cause, *found.also))
        causes = [cause]
        if self.ttl is not None:
            causes.append(self._expiry(LOW if self.drop.call.read else MEDIUM))
        return Break(self.drop, tuple(causes), place=change.place)

    def _head_lost(self) -> bool:
        """Not even system prompt and tools were read."""
        return self.drop.call.read < self.weights.least_head()

    def _read_beyond(self, message: int) -> bool:
        """What was read reaches beyond the place where the message with this index begins; of the first, into the
        messages."""
        return self.drop.call.read > self.weights.most_before(message) + self.limits.tokens

    def _on_purpose(self, change: Change) -> Break | None:
        cleared = self._cleared(change)
        if cleared is not None:
            return cleared
        if change.rewriting is None or not change.rewriting.went_back:
            return None
        cause = _cause(change, HIGH if self.exact else MEDIUM, Name.REWIND)
        reach = self.evidence.within_reach
        if reach is not None and self.drop.call.read < reach - max(self.limits.tokens, reach * self.limits.share):
            found = self._same()
            return replace(found, also=(cause, *found.also))
        told = "The session went back, and all that the shorter conversation shares with the cache was read."
        return Break(self.drop, (cause,), expected=told, place=change.place)

    def _cleared(self, change: Change | None = None) -> Break | None:
        """Old content was taken out of the request by the client or the API, and a record says so."""
        taken = change.rewriting.taken if change is not None and change.rewriting is not None else ()
        by = tuple(dict.fromkeys((*self.evidence.of_kind(CLEARED | FOLDED), *taken)))
        cleared = self.evidence.answer.cleared
        if not by and not cleared:
            return None
        who = f"The API cleared {plural(cleared, 'token')} of old content" if cleared else "Old content was cleared"
        told = f"{who} from the conversation, so what follows it had to be cached anew."
        causes = [Cause(Name.DELETION, HIGH, told, by or (self.drop.call.position,))]
        if self.ttl is not None and self._head_lost():
            causes.append(self._expiry(MEDIUM))
        return Break(self.drop, tuple(causes), expected=told, place=change.place if change is not None else None)

    def _same(self) -> Break:
        """Nothing that was sent explains it: time, the API's own limits, or what is not recorded."""
        lookback = out_of_sight(self.previous, self.current, self.limits) if self.messages is None else False
        hidden = self._hidden()
        if self.ttl is not None:
            sure = LOW if self._read_beyond(0) else HIGH if self.comparable and not hidden else MEDIUM
            causes = [*hidden, self._expiry(sure)]
            if lookback and self.drop.call.read:
                causes.append(self._lookback(MEDIUM))
            return Break(self.drop, tuple(causes))
        if lookback:
            cause = self._lookback(HIGH if self.exact else MEDIUM)
            return Break(self.drop, (cause,), expected=cause.sentence)
        if hidden:
            return Break(self.drop, tuple(hidden))
        return self._hinted() or self._unexplained()

    def _hidden(self) -> list[Cause]:
        """The client's own print of system prompt and tools differs, although the texts that it kept do not."""
        old, new = self.previous, self.current
        if not old.shape or not new.shape or old.shape == new.shape or self._read_beyond(0):
            return []
        shown = {one.name for one in self.changes}
        if shown & {Name.SYSTEM, Name.TOOLS}:
            return []
        if Name.DEFERRED in shown and not self._head_lost():
            return []
        first = not self.drop.call.read and self.ttl is None  # nothing was read: it stands before every mark
        name, what = (Name.TOOLS, "tools") if first else (Name.SYSTEM, "system prompt")
        said = (
            f"The client's own print of system prompt and tools changed, while the texts that it kept are the same;"
            f" by what was still read, it was the {what}."
        )
        return [Cause(name, MEDIUM, said, (old.record, new.record))]

    def _hinted(self) -> Break | None:
        change = next((one for one in self.changes if one.rank is Rank.HINT), None)
        return None if change is None else Break(self.drop, (_cause(change, MEDIUM),), place=change.place)

    def _unexplained(self) -> Break:
        short = self._left_out()
        if short > self.limits.tokens:
            said = (
                f"The prompt is at least {short:,} tokens shorter than the transcript makes it: the client left out"
                " earlier content without writing that down."
            )
            return Break(self.drop, (Cause(Name.MESSAGES, MEDIUM, said, (self.drop.call.position,)),))
        if self.comparable and self.messages is None:
            said = "Model, tools, system prompt, settings and messages are the same, and the cache had not expired."
            where = (self.previous.record, self.current.record)
            return Break(self.drop, (Cause(Name.SERVER, MEDIUM if self.exact else LOW, said, where),))
        said = "Nothing that is recorded explains it."
        return Break(self.drop, (Cause(Name.UNKNOWN, LOW, said, (self.drop.call.position,)),))

    def _left_out(self) -> int:
        """How many tokens the prompt lacks, at the least, of the one before it and what has come since."""
        if self.messages is not None or self.exact:
            return 0
        if not self.comparable and not self._read_beyond(0):
            return 0  # it may as well be the system prompt that is shorter, or there are fewer tools
        new = Weights(self.current, 0).characters(len(self.previous.elements))
        return self.drop.previous.prompt + new // _MOST_CHARACTERS - self.drop.call.prompt

    def _expiry(self, confidence: str) -> Cause:
        assert self.ttl is not None
        lives = "an hour" if self.ttl is Name.TTL_1H else "five minutes"
        said = f"{duration(self.drop.gap)} had passed since the request before, and what it wrote lived {lives}."
        return Cause(self.ttl, confidence, said, (self.drop.previous.position, self.drop.call.position))

    def _lookback(self, confidence: str) -> Cause:
        count = blocks_since(self.previous, self.current)
        said = (
            f"{plural(count, 'block')} came after the last mark, and the API looks back over {self.limits.lookback}"
            " only: it could not find what it had cached."
        )
        return Cause(Name.LOOKBACK, confidence, said, (self.previous.record, self.current.record))

    def _finished(self, found: Break) -> Break:
        told = {one.sentence for one in (*found.causes, *found.also)}
        named = {str(one.name) for one in found.causes}
        # A rewind or a clearing is how the messages changed, and no second change.
        same = {*named, Name.MESSAGES} if named & {Name.REWIND, Name.DELETION} else named
        rest = [_cause(one, LOW) for one in self.changes if one.sentence not in told and one.name not in same]
        hints = [
            Cause(event.kind, LOW, f"In between, {HINTS[event.kind]}.", (event.position,))
            for event in self.evidence.events
            if event.kind in HINTS
        ]
        upgraded = self._upgraded()
        rewound = Name.REWIND in named
        reach = self.evidence.within_reach
        cached = self.drop.previous.cached if reach is None else reach
        wasted = waste_of(self.drop.call, 0 if rewound and found.expected else cached)
        expected = found.expected
        if not expected and wasted.tokens <= self.limits.tokens:
            expected = "The prompt was shorter than the one before, and nearly all of it was read."
        return replace(
            found,
            also=(*found.also, *rest, *hints, *upgraded),
            expected=expected,
            waste=wasted,
            exactness=RECORDED if self.exact and self.comparable else RECONSTRUCTED,
            missing=self._missing(),
        )

    def _upgraded(self) -> list[Cause]:
        old, new = self.evidence.before.version, self.evidence.answer.version
        if not old or not new or old == new:
            return []
        said = f"The client was another version: {old} before, {new} now. Its system prompt and tools may differ."
        return [Cause("version_changed", LOW, said, (self.drop.previous.position, self.drop.call.position))]

    def _missing(self) -> tuple[str, ...]:
        told = []
        if not self.comparable:
            told.append("System prompt and tools of both requests: they are not recorded, so they were not compared.")
        if not self.exact:
            told.append("The messages as they were sent: they were made from the transcript.")
        if self.previous.marks is None or self.current.marks is None:
            told.append("Where the cache marks stood.")
        if self.drop.gap is None:
            told.append("When the requests were sent.")
        return tuple(told)


def _cause(change: Change, confidence: str, name: str = "") -> Cause:
    return Cause(name or change.name, confidence, change.sentence, change.positions, dict(change.size))
