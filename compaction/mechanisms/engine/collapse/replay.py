"""Applies commits to a conversation: each span is replaced by its placeholder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.collapse.state import Commit
from sessions.transcripts.engine.messages import Message
from sessions.transcripts.engine.messages.cuts import Cuts, find_cuts


@dataclass(frozen=True, slots=True)
class SkippedCommit:
    """A commit that does not fit these messages."""

    collapse_id: str
    why: str


@dataclass(frozen=True, slots=True)
class CollapsedSpan:
    """`messages[first:end]` of the conversation, which the commit's placeholder replaces."""

    first: int
    end: int
    commit: Commit


@dataclass(frozen=True, slots=True)
class CollapsedView:
    messages: Sequence[Message]
    spans: tuple[CollapsedSpan, ...]
    skipped: tuple[SkippedCommit, ...]


def replay_commits(messages: Sequence[Message], commits: Sequence[Commit], legal: Cuts | None = None) -> CollapsedView:
    """A commit may replace placeholders of earlier ones. One that would split anything is skipped.

    `legal` are the cuts of these messages, if they are known.
    """
    if not commits:
        return CollapsedView(messages, (), ())
    places: dict[str, tuple[int, int]] = {}
    for index, message in enumerate(messages):
        if message.uuid:
            places.setdefault(message.uuid, (index, index + 1))
    legal = legal or find_cuts(messages)
    spans: list[CollapsedSpan] = []
    skipped: list[SkippedCommit] = []
    for commit in commits:
        if commit.first_uuid not in places or commit.last_uuid not in places:
            skipped.append(SkippedCommit(commit.collapse_id, "Its messages are not in this conversation."))
            continue
        span = CollapsedSpan(places[commit.first_uuid][0], places[commit.last_uuid][1], commit)
        apart = [earlier for earlier in spans if earlier.end <= span.first or span.end <= earlier.first]
        inside = [earlier for earlier in spans if span.first <= earlier.first and earlier.end <= span.end]
        if span.end <= span.first:
            skipped.append(SkippedCommit(commit.collapse_id, "Its last message stands before its first."))
        elif not legal.is_legal(span.first) or not legal.is_legal(span.end):
            skipped.append(
                SkippedCommit(commit.collapse_id, "It would split a tool call from its result, or an answer.")
            )
        elif len(apart) + len(inside) < len(spans):
            skipped.append(SkippedCommit(commit.collapse_id, "It overlaps an earlier one."))
        else:
            spans = [*apart, span]
            places[commit.summary_uuid] = (span.first, span.end)
    spans.sort(key=lambda span: span.first)
    return CollapsedView(_splice(messages, spans), tuple(spans), tuple(skipped))


def _splice(messages: Sequence[Message], spans: Sequence[CollapsedSpan]) -> Sequence[Message]:
    if not spans:
        return messages
    view: list[Message] = []
    end = 0
    for span in spans:
        view += [*messages[end : span.first], span.commit.placeholder]
        end = span.end
    return [*view, *messages[end:]]
