"""Which spans of early history could be replaced: pieces between legal cuts, never of the latest part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from compaction.mechanisms.engine.collapse.config import CollapseConfig
from compaction.mechanisms.engine.collapse.score import ConversationSurvey, Score, score_span, survey_conversation
from compaction.mechanisms.engine.conversation.kept_range import places_held_by_thinking
from compaction.mechanisms.engine.conversation.standing import is_standing
from sessions.transcripts.engine.messages import Message, MessageKind
from sessions.transcripts.engine.messages.cuts import Cuts
from sessions.usage.engine.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Candidate:
    first: int
    end: int
    tokens: int
    score: Score


def find_candidates(
    messages: Sequence[Message], legal: Cuts, config: CollapseConfig, counter: TokenCounter
) -> list[Candidate]:
    """Best first, and of equals the earlier one."""
    view = survey_conversation(messages, counter)
    latest = _start_of_latest(view, config.keep_tokens)
    candidates = []
    for first, end in _replaceable_ranges(messages, legal, view, latest, config):
        tokens = view.between(first, end)
        if tokens >= config.least:
            marks = score_span(view, first, end, latest, most=config.most, weights=config.weights)
            candidates.append(Candidate(first, end, tokens, marks))
    return sorted(candidates, key=lambda candidate: (-candidate.score.total, candidate.first))


def _start_of_latest(view: ConversationSurvey, keep_tokens: int) -> int:
    """The index of the first message that is never collapsed."""
    return next(
        index
        for index in range(len(view.sizes), -1, -1)
        if index == 0 or view.tokens - view.before[index] >= keep_tokens
    )


def _replaceable_ranges(
    messages: Sequence[Message], legal: Cuts, view: ConversationSurvey, latest: int, config: CollapseConfig
) -> Iterator[tuple[int, int]]:
    names = Counter(message.uuid for message in messages)
    start: int | None = None
    held = places_held_by_thinking(messages)
    # The messages before the first answer are instructions and surroundings, which apply to everything that follows.
    head = next((index for index, message in enumerate(messages) if message.role == "assistant"), len(messages))
    places = [place for place in legal.legal if head <= place <= latest and place not in held]
    for first, end in pairwise(places):
        piece = messages[first:end]
        stays = any(_must_stay(message, config) for message in piece)
        # A record names a span by the uuids of its ends.
        nameless = any(not message.uuid or names[message.uuid] > 1 for message in (piece[0], piece[-1]))
        full = start is not None and view.between(start, end) > config.most
        if start is not None and (stays or nameless or full):
            yield start, first
            start = None
        if start is None and not stays and not nameless:
            start = first
    if start is not None:
        yield start, places[-1]


def _must_stay(message: Message, config: CollapseConfig) -> bool:
    stays = message.kind is MessageKind.SUMMARY or is_standing(message) or message.uuid in config.pinned
    return stays or (config.keep_inputs and message.kind is MessageKind.PROMPT)
