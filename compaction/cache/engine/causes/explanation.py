"""Explains why the cache dropped. Only the earliest change in the order of the key explains a drop, and only if the
tokens that were still read end before it; other changes are listed beside it.

A drop is expected if the client caused it on purpose: a compaction, a clearing, a rewind that read all it could. So is
a mark that the API could not find because too many blocks came at once, although that wastes tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compaction.cache.engine.causes.breaks import HIGH, LOW, MEDIUM, RECONSTRUCTED, RECORDED, Break, Cause
from compaction.cache.engine.causes.cause_names import CauseName
from compaction.cache.engine.causes.evidence import (
    CLEARING_KINDS,
    COLLAPSE_KINDS,
    HINT_SENTENCES,
    Evidence,
    align_forms,
    has_edited_files,
    has_used_servers,
)
from compaction.cache.engine.costs.waste import waste_of
from compaction.cache.engine.differences.changes import Change, Rank, find_changes, is_comparable
from compaction.cache.engine.differences.state_changes import find_state_changes, new_deletions
from compaction.cache.engine.requests.calls import LIMITS, Call, Drop, Limits
from compaction.cache.engine.requests.lifetime import Lifetime, lifetime_of
from compaction.cache.engine.requests.lookback import blocks_since, is_beyond_lookback
from compaction.cache.engine.requests.prompt import TokenEstimate, prompt_of
from sessions.text.engine.words import duration, plural

_MAX_CHARACTERS_PER_TOKEN = 8
"""An upper bound, so that new text has at least a token for each eight characters."""


def explain_compaction(drop: Drop, boundary: int) -> Break:
    """For a drop with a compaction between the two requests: a summary replaced the conversation on purpose."""
    sentence = "The conversation was compacted in between, so the messages after the system prompt are new."
    return Break(
        drop,
        (Cause(CauseName.COMPACTION, HIGH, sentence, (boundary,)),),
        expected=sentence,
        waste=waste_of(drop.call, 0),
    )


def explain(drop: Drop, evidence: Evidence, calls: Sequence[Call] = (), limits: Limits = LIMITS) -> Break:
    """`calls`: the earlier calls of the source, in order; they show how long the cache lives."""
    case = _Case(drop, evidence, calls, limits)
    explanation = case.judge()
    diagnosis = evidence.answer.diagnosis
    if diagnosis is not None:
        explanation = replace(
            explanation,
            server_diagnosis=diagnosis.to_json(),
            agrees=diagnosis.agrees_with({cause.name for cause in explanation.causes}),
        )
        if explanation.causes[0].name == CauseName.UNKNOWN and diagnosis.cause_name is not None:
            sentence = f"The API's own diagnosis says so ({diagnosis.reason}); no record here shows it."
            positions = (diagnosis.position,) if diagnosis.position is not None else ()
            explanation = replace(
                explanation, causes=(Cause(diagnosis.cause_name, HIGH, sentence, positions),), agrees=None
            )
    return explanation


class _Case:
    def __init__(self, drop: Drop, evidence: Evidence, calls: Sequence[Call], limits: Limits) -> None:
        self.drop, self.evidence, self.limits = drop, evidence, limits
        previous_answer, answer = evidence.previous_answer, evidence.answer
        previous, current = align_forms(evidence.previous, evidence.current)
        self.previous = prompt_of(previous, effort=previous_answer.effort, speed=previous_answer.speed)
        self.current = prompt_of(current, effort=answer.effort, speed=answer.speed)
        self.tokens = TokenEstimate(self.current, drop.call.prompt)
        records = (self.previous.record_position, self.current.record_position)
        switches = find_state_changes(evidence.previous_state, evidence.state, records)
        self.changes = sorted([*find_changes(self.previous, self.current), *switches], key=lambda change: change.rank)
        self.deletions = new_deletions(evidence.previous_state, evidence.state)
        self.reverted_names = self._find_reverted()
        self.message_change = next((change for change in self.changes if change.rank is Rank.MESSAGES), None)
        self.lifetime: Lifetime = lifetime_of(self.previous.marks, [*calls, drop.previous])
        self.expired_ttl = self.lifetime.expired_ttl(drop.gap, limits)
        self.comparable = is_comparable(self.previous, self.current)
        self.exact = self.previous.is_recorded and self.current.is_recorded

    def judge(self) -> Break:
        change = self._earliest_change()
        if change is not None and change.rank is Rank.MESSAGES:
            explanation = self._explain_intent(change) or self._explain_change(change)
        elif change is not None:
            explanation = self._explain_change(change)
        else:
            explanation = self._explain_clearing() or self._explain_without_change()
        return self._complete(explanation)

    def _earliest_change(self) -> Change | None:
        """The first change that comes after everything that was read."""
        for change in self.changes:
            if change.rank >= Rank.HINT:
                return None
            message = change.rewrite.message_index if change.rewrite is not None else 0
            is_certain = change.rank is Rank.MODEL or change.name in self.reverted_names
            if is_certain or not self._has_read_beyond(message):
                return change
        return None

    def _find_reverted(self) -> set[str]:
        """Changes back to the request whose cache was read. No more was read because the request was different in
        between."""
        earlier = self.evidence.returned_to
        if earlier is None:
            return set()
        earlier_prompt, current_prompt = (prompt_of(context) for context in align_forms(earlier, self.evidence.current))
        if not earlier_prompt.is_sent_whole or not current_prompt.is_sent_whole:
            return set()
        return {change.name for change in self.changes} - {
            change.name for change in find_changes(earlier_prompt, current_prompt)
        }

    def _explain_change(self, change: Change) -> Break:
        cause = _cause(change, HIGH if change.in_requests and (change.rank < Rank.MESSAGES or self.exact) else MEDIUM)
        if (change.rank is Rank.MESSAGES or not change.in_requests) and self._is_head_lost():
            # A change among the messages leaves the system prompt readable, so something else kept it from being read.
            explanation = self._explain_without_change()
            if self.expired_ttl is not None:
                return replace(explanation, causes=(*explanation.causes, cause), divergence=change.divergence)
            return replace(explanation, also=(cause, *explanation.also))
        causes = [cause]
        if self.expired_ttl is not None:
            causes.append(self._expiry_cause(LOW if self.drop.call.read else MEDIUM))
        return Break(self.drop, tuple(causes), divergence=change.divergence)

    def _is_head_lost(self) -> bool:
        """Whether not even the system prompt and the tools were read."""
        return self.drop.call.read < self.tokens.least_head()

    def _has_read_beyond(self, message: int) -> bool:
        """Whether the tokens that were read reach into the message with this index; for 0, into the messages at all."""
        return self.drop.call.read > self.tokens.most_before(message) + self.limits.min_tokens

    def _explain_intent(self, change: Change) -> Break | None:
        cleared = self._explain_clearing(change)
        if cleared is not None:
            return cleared
        if change.rewrite is None or not change.rewrite.went_back:
            return None
        cause = _cause(change, HIGH if self.exact else MEDIUM, CauseName.REWIND)
        reachable = self.evidence.reachable_tokens
        if reachable is not None and self.drop.call.read < reachable - max(
            self.limits.min_tokens, reachable * self.limits.min_share
        ):
            explanation = self._explain_without_change()
            return replace(explanation, also=(cause, *explanation.also))
        sentence = "The session went back, and all that the shorter conversation shares with the cache was read."
        return Break(self.drop, (cause,), expected=sentence, divergence=change.divergence)

    def _explain_clearing(self, change: Change | None = None) -> Break | None:
        """The client or the API removed old content from the request, and a record says so."""
        clearing_positions = (
            change.rewrite.clearing_positions if change is not None and change.rewrite is not None else ()
        )
        positions = tuple(
            dict.fromkeys((*self.evidence.positions_of(CLEARING_KINDS | COLLAPSE_KINDS), *clearing_positions))
        )
        cleared_tokens, deleted_tokens = self.evidence.newly_cleared, self.evidence.newly_deleted
        if not positions and not cleared_tokens and not deleted_tokens and not self.deletions:
            return None
        subject = (
            f"The API cleared {plural(cleared_tokens, 'token')} of old content from the conversation"
            if cleared_tokens
            else f"The API deleted {plural(deleted_tokens, 'token')} of old content from the cache"
            if deleted_tokens
            else f"The request deleted {plural(self.deletions, 'result')} from the cache (`cache_edits`)"
            if self.deletions
            else "Old content was cleared from the conversation"
        )
        sentence = f"{subject}, so what follows it had to be cached anew."
        causes = [Cause(CauseName.DELETION, HIGH, sentence, positions or (self.drop.call.position,))]
        if self.expired_ttl is not None and self._is_head_lost():
            causes.append(self._expiry_cause(MEDIUM))
        return Break(
            self.drop, tuple(causes), expected=sentence, divergence=change.divergence if change is not None else None
        )

    def _explain_without_change(self) -> Break:
        """Nothing that was sent explains the drop, so it was time, a limit of the API, or something unrecorded."""
        beyond_lookback = (
            is_beyond_lookback(self.previous, self.current, self.limits) if self.message_change is None else False
        )
        hidden_causes = self._hidden_causes()
        if self.expired_ttl is not None:
            confidence = LOW if self._has_read_beyond(0) else HIGH if self.comparable and not hidden_causes else MEDIUM
            causes = [*hidden_causes, self._expiry_cause(confidence)]
            if beyond_lookback and self.drop.call.read:
                causes.append(self._lookback_cause(MEDIUM))
            return Break(self.drop, tuple(causes))
        if beyond_lookback:
            cause = self._lookback_cause(HIGH if self.exact else MEDIUM)
            return Break(self.drop, (cause,), expected=cause.sentence)
        if hidden_causes:
            return Break(self.drop, tuple(hidden_causes))
        return self._explain_hint() or self._explain_missing() or self._explain_restart() or self._explain_remainder()

    def _hidden_causes(self) -> list[Cause]:
        """The client's own hash of system prompt and tools changed, although the stored texts did not."""
        old, new = self.previous, self.current
        if (
            not old.head_fingerprint
            or not new.head_fingerprint
            or old.head_fingerprint == new.head_fingerprint
            or self._has_read_beyond(0)
        ):
            return []
        changed_names = {change.name for change in self.changes}
        if changed_names & {CauseName.SYSTEM, CauseName.TOOLS}:
            return []
        if CauseName.DEFERRED in changed_names and not self._is_head_lost():
            return []
        before_all_marks = (
            not self.drop.call.read and self.expired_ttl is None
        )  # nothing was read, so the change is before every mark
        name, noun = (CauseName.TOOLS, "tools") if before_all_marks else (CauseName.SYSTEM, "system prompt")
        sentence = (
            f"The client's own hash of system prompt and tools changed, while the texts that it logged are the same;"
            f" judging by what was still read, it was the {noun}."
        )
        return [Cause(name, MEDIUM, sentence, (old.record_position, new.record_position))]

    def _explain_hint(self) -> Break | None:
        change = next((change for change in self.changes if change.rank is Rank.HINT), None)
        return None if change is None else Break(self.drop, (_cause(change, MEDIUM),), divergence=change.divergence)

    def _explain_missing(self) -> Break | None:
        missing_tokens = self._missing_tokens()
        if missing_tokens <= self.limits.min_tokens:
            return None
        sentence = (
            f"The prompt is at least {missing_tokens:,} tokens shorter than the transcript makes it: the client"
            " left out earlier content without writing that down."
        )
        confidence = MEDIUM if self.comparable or self._has_read_beyond(0) else LOW
        return Break(self.drop, (Cause(CauseName.MESSAGES, confidence, sentence, (self.drop.call.position,)),))

    def _explain_restart(self) -> Break | None:
        causes = self._restart_causes()
        return Break(self.drop, causes) if causes else None

    def _restart_causes(self) -> tuple[Cause, ...]:
        """The client was restarted in between, and made the system prompt, the tools and its reminders again. The
        likely cause comes first."""
        prompt = self.evidence.current.restarted
        if self.comparable or not self.drop.previous.position < prompt < self.drop.call.position:
            return ()
        positions = (prompt, self.drop.call.position)
        head = (CauseName.SYSTEM, "The client was started anew in between, and then makes system prompt and tools anew")
        body = (CauseName.MESSAGES, "The client was started anew in between, and then places its reminders anew")
        if self._has_read_beyond(0):
            return (Cause(body[0], MEDIUM, f"{body[1]}: of the messages, the first were still read.", positions),)
        if not self.drop.call.read or self._is_head_lost():
            cause = Cause(head[0], MEDIUM, f"{head[1]}: not even these were read.", positions)
            if not has_used_servers(self.evidence.current):
                return (cause,)
            sentence = (
                "The client was started anew in between, and the session uses tools of MCP servers, which may have"
            )
            return Cause(CauseName.TOOLS, MEDIUM, f"{sentence} come or gone.", positions), replace(
                cause, confidence=LOW
            )
        if has_edited_files(self.evidence.current):
            sentence = f"{head[1]}: files were edited before, and the state of git is part of it."
            return Cause(head[0], MEDIUM, sentence, positions), Cause(body[0], LOW, f"{body[1]}.", positions)
        sentence = f"{body[1]}: only what stands before the messages was read."
        return Cause(body[0], MEDIUM, sentence, positions), Cause(head[0], LOW, f"{head[1]}.", positions)

    def _explain_remainder(self) -> Break:
        if self.comparable and self.message_change is None:
            sentence = "Model, tools, system prompt, settings and messages are the same, and the cache had not expired."
            positions = (self.previous.record_position, self.current.record_position)
            return Break(self.drop, (Cause(CauseName.SERVER, MEDIUM if self.exact else LOW, sentence, positions),))
        sentence = "Nothing that is recorded explains it."
        return Break(self.drop, (Cause(CauseName.UNKNOWN, LOW, sentence, (self.drop.call.position,)),))

    def _missing_tokens(self) -> int:
        """The least number of tokens that the prompt lacks of the previous prompt and what was added since."""
        if self.message_change is not None or self.exact:
            return 0
        fell = self.drop.call.prompt < self.drop.previous.prompt
        if not self.comparable and not self._has_read_beyond(0) and not fell:
            return 0  # the system prompt may just as well be shorter, or there are fewer tools
        new_characters = TokenEstimate(self.current, 0).characters(len(self.previous.elements))
        return self.drop.previous.prompt + new_characters // _MAX_CHARACTERS_PER_TOKEN - self.drop.call.prompt

    def _expiry_cause(self, confidence: str) -> Cause:
        assert self.expired_ttl is not None
        lifetime = "an hour" if self.expired_ttl is CauseName.TTL_1H else "five minutes"
        sentence = f"{duration(self.drop.gap)} had passed since the request before, and what it wrote lived {lifetime}."
        return Cause(self.expired_ttl, confidence, sentence, (self.drop.previous.position, self.drop.call.position))

    def _lookback_cause(self, confidence: str) -> Cause:
        count = blocks_since(self.previous, self.current)
        sentence = (
            f"{plural(count, 'block')} came after the last mark, and the API looks back over {self.limits.lookback}"
            " only: it could not find what it had cached."
        )
        return Cause(
            CauseName.LOOKBACK, confidence, sentence, (self.previous.record_position, self.current.record_position)
        )

    def _complete(self, explanation: Break) -> Break:
        sentences = {cause.sentence for cause in (*explanation.causes, *explanation.also)}
        cause_names = {str(cause.name) for cause in explanation.causes}
        # A rewind or a clearing is itself the change of the messages, not a second change.
        explained_names = (
            {*cause_names, CauseName.MESSAGES} if cause_names & {CauseName.REWIND, CauseName.DELETION} else cause_names
        )
        other_causes = [
            _cause(change, LOW)
            for change in self.changes
            if change.sentence not in sentences and change.name not in explained_names
        ]
        hints = [
            Cause(event.kind, LOW, f"In between, {HINT_SENTENCES[event.kind]}.", (event.position,))
            for event in self.evidence.events
            if event.kind in HINT_SENTENCES
        ]
        upgrades = self._upgrade_causes()
        has_rewound = CauseName.REWIND in cause_names
        reachable = self.evidence.reachable_tokens
        cached = self.drop.previous.cached if reachable is None else reachable
        waste = waste_of(self.drop.call, 0 if has_rewound and explanation.expected else cached)
        expected = explanation.expected
        if not expected and waste.tokens <= self.limits.min_tokens:
            expected = "The prompt was shorter than the one before, and nearly all of it was read."
        return replace(
            explanation,
            also=(*explanation.also, *other_causes, *hints, *upgrades),
            expected=expected,
            waste=waste,
            exactness=RECORDED if self.exact and self.comparable else RECONSTRUCTED,
            missing=self._list_missing(),
        )

    def _upgrade_causes(self) -> list[Cause]:
        old, new = self.evidence.previous_answer.version, self.evidence.answer.version
        if not old or not new or old == new:
            return []
        sentence = f"The client was another version: {old} before, {new} now. Its system prompt and tools may differ."
        return [Cause("version_changed", LOW, sentence, (self.drop.previous.position, self.drop.call.position))]

    def _list_missing(self) -> tuple[str, ...]:
        sentences = []
        if not self.comparable:
            sentences.append(
                "System prompt and tools of both requests: they are not recorded, so they were not compared."
            )
        if not self.exact:
            sentences.append("The messages as they were sent: they were made from the transcript.")
        if self.previous.marks is None or self.current.marks is None:
            sentences.append("Where the cache marks stood.")
        if self.drop.gap is None:
            sentences.append("When the requests were sent.")
        return tuple(sentences)


def _cause(change: Change, confidence: str, name: str = "") -> Cause:
    return Cause(name or change.name, confidence, change.sentence, change.positions, dict(change.size))
